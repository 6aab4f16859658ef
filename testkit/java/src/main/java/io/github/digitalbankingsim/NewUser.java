package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * A user to add: {@code new NewUser("1099").accounts("acc-1", "acc-2")}.
 *
 * @param hostUserId the user's id, which no other user of the institution has
 * @param username the name for password grants, or null for none
 * @param accounts the accountIds of the user's accounts
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NewUser(String hostUserId, String username, List<String> accounts) {
    /** Makes a user without a username and accounts. */
    public NewUser(String hostUserId) {
        this(hostUserId, null, List.of());
    }

    /** Returns the user with a name for password grants. */
    public NewUser username(String username) {
        return new NewUser(hostUserId, username, accounts);
    }

    /** Returns the user with accounts. */
    public NewUser accounts(String... accountIds) {
        return new NewUser(hostUserId, username, List.of(accountIds));
    }
}
