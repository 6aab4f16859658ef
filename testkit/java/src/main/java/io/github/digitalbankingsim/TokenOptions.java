package io.github.digitalbankingsim;

import java.time.Duration;

/**
 * What a token is like: {@code new TokenOptions().user("1001").expiresIn(Duration.ofMinutes(15))}. By default it is
 * for the first client of the first institution, bound to no user, and valid for as long as a token that the bank
 * issues.
 *
 * @param institutionId the institution, or null for the first
 * @param client the shared key of a client, or null for the first
 * @param hostUserId the user that the token is bound to, or null for none
 * @param expiresIn how long the token is valid by the bank's clock, or null for the bank's own time
 */
public record TokenOptions(String institutionId, String client, String hostUserId, Duration expiresIn) {
    /** Makes options that are all left to the bank. */
    public TokenOptions() {
        this(null, null, null, null);
    }

    /** Returns the options with an institution. */
    public TokenOptions institution(String institutionId) {
        return new TokenOptions(institutionId, client, hostUserId, expiresIn);
    }

    /** Returns the options with a client, by its shared key. */
    public TokenOptions client(String sharedKey) {
        return new TokenOptions(institutionId, sharedKey, hostUserId, expiresIn);
    }

    /** Returns the options with a user that the token is bound to. */
    public TokenOptions user(String hostUserId) {
        return new TokenOptions(institutionId, client, hostUserId, expiresIn);
    }

    /** Returns the options with a time for which the token is valid. */
    public TokenOptions expiresIn(Duration time) {
        return new TokenOptions(institutionId, client, hostUserId, time);
    }
}
