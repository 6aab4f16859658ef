package io.github.digitalbankingsim;

import java.time.Instant;

/**
 * What a client was granted: tokens in clear text, for an app to use.
 *
 * @param refreshToken null if there is none
 * @param expiresAt when the access token expires, by the bank's clock
 * @param hostUserId null if the tokens are bound to no user
 */
public record Grant(String accessToken, String refreshToken, Instant expiresAt, String client, String hostUserId) {}
