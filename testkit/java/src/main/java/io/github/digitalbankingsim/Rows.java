package io.github.digitalbankingsim;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The rows of a bank. A method throws a NoSuchElementException if the bank doesn't have the row. */
public interface Rows {
    /** Returns all rows, by institution. */
    List<Api.Institution> institutions();

    /** Returns the first user with a hostUserId. */
    default Api.User user(String hostUserId) {
        return first("user", hostUserId, i -> i.users().stream(), user -> user.hostUserId().equals(hostUserId));
    }

    /** Returns the first account with an accountId. */
    default Api.Account account(String accountId) {
        return first("account", accountId, i -> i.users().stream().flatMap(user -> user.accounts().stream()),
                account -> account.accountId().equals(accountId));
    }

    /** Returns the first group with a name that is not deleted. */
    default Api.Group group(String groupName) {
        return first("active group", groupName, i -> i.groups().stream(),
                group -> group.groupName().equals(groupName) && group.groupStatus().equals("ACTIVE"));
    }

    private <R> R first(String kind, String id, Function<Api.Institution, Stream<R>> rows, Predicate<R> isMeant) {
        return institutions().stream().flatMap(rows).filter(isMeant).findFirst()
                .orElseThrow(() -> new NoSuchElementException("the bank has no " + kind + " \"" + id + "\""));
    }
}
