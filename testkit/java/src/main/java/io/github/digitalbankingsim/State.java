package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All that a bank holds, by institution, under the names of the interface. It shows no secret: keys and passwords are
 * left out, and tokens are fingerprints. A member that the bank doesn't have is null; a list is empty then.
 */
public record State(List<Institution> institutions) {

    /** Returns the first user with a hostUserId. */
    public User user(String hostUserId) {
        return first("user", hostUserId, i -> i.users().stream(), user -> user.hostUserId().equals(hostUserId));
    }

    /** Returns the first account with an accountId. */
    public Account account(String accountId) {
        return first("account", accountId, i -> i.users().stream().flatMap(user -> user.accounts().stream()),
                account -> account.accountId().equals(accountId));
    }

    /** Returns the first group with a name that is not deleted. */
    public Group group(String groupName) {
        return first("active group", groupName, i -> i.groups().stream(),
                group -> group.groupName().equals(groupName) && group.groupStatus().equals("ACTIVE"));
    }

    private <R> R first(String kind, String id, Function<Institution, Stream<R>> rows, Predicate<R> isMeant) {
        return institutions.stream().flatMap(rows).filter(isMeant).findFirst()
                .orElseThrow(() -> new NoSuchElementException("the bank has no " + kind + " \"" + id + "\""));
    }

    /**
     * An institution, with all that belongs to it.
     *
     * @param institutionAlertPreferences those of users that have none of their own
     * @param institutionDisclosures those besides OLS, ESIGN and IB
     * @param clients shared keys
     * @param alertPreferences those of no user
     */
    public record Institution(String institutionId, boolean multistatement, List<String> alertTypes,
            List<AlertType> institutionAlertTypes, List<AlertDefault> institutionAlertPreferences,
            List<CustomDisclosure> institutionDisclosures, List<String> clients, List<User> users, List<Token> tokens,
            List<Group> groups, List<Job> jobs, List<AlertPreference> alertPreferences) {
        public Institution {
            alertTypes = Json.list(alertTypes);
            institutionAlertTypes = Json.list(institutionAlertTypes);
            institutionAlertPreferences = Json.list(institutionAlertPreferences);
            institutionDisclosures = Json.list(institutionDisclosures);
            clients = Json.list(clients);
            users = Json.list(users);
            tokens = Json.list(tokens);
            groups = Json.list(groups);
            jobs = Json.list(jobs);
            alertPreferences = Json.list(alertPreferences);
        }
    }

    /** A disclosure of an institution besides OLS, ESIGN and IB. */
    public record CustomDisclosure(String institutionDisclosureId, String institutionDisclosureName,
            String institutionDisclosureData, String institutionDisclosureDataType) {}

    /** An alert type of an institution. */
    public record AlertType(long institutionAlertTypeId, String alertTypeName, List<String> channelsOptd,
            String statusOptd, String reason) {
        public AlertType {
            channelsOptd = Json.list(channelsOptd);
        }
    }

    /** An alert preference of an institution. */
    public record AlertDefault(long institutionAlertPrefId, String alertTypeName, String channelTypeName,
            boolean alertOpted, JsonNode additionalInfo) {}

    /**
     * A user, with all that belongs to them. Status is what else the status of users shows, if the scenario says it.
     */
    public record User(String hostUserId, String username, boolean active, List<Disclosure> disclosures,
            String institutionUserId, String customerId, UserStatus status, List<Account> accounts,
            List<AlertPreference> alertPreferences) {
        public User {
            disclosures = Json.list(disclosures);
            accounts = Json.list(accounts);
            alertPreferences = Json.list(alertPreferences);
        }
    }

    /** What the status of users shows of a user besides whether they are active. */
    public record UserStatus(String parentHostUserId, boolean onHold, boolean locked, boolean reset, boolean registered,
            boolean approved, boolean rejected, int failedLoginCount, int failedPasswordResetCount,
            Instant lastLoginDateTime, Instant holdDateTime, String holdReason, String holdInitiatedBy) {}

    /** An account of a user. UpdateFails says that an update of all accounts fails for this one. */
    public record Account(String accountId, boolean activateEstatement, List<Disclosure> disclosures,
            boolean updateFails) {
        public Account {
            disclosures = Json.list(disclosures);
        }
    }

    /** A disclosure of a user or an account. */
    public record Disclosure(String institutionDisclosureName, String institutionDisclosureStatus,
            Instant institutionUserDisclosureStatusUpdateDateTime, boolean paperWaiver) {}

    /**
     * An access token with its refresh token, both as fingerprints.
     *
     * @param code the fingerprint of the code that the grant began with, or null
     * @param accessToken "" if the code wasn't used
     * @param client the client's shared key
     * @param hostUserId null if it is bound to no user
     * @param accessTokenRevoked whether the access token alone is revoked
     * @param expiresAt of the access token, by the bank's clock
     */
    public record Token(String code, String accessToken, String refreshToken, String client, String hostUserId,
            String grantType, boolean revoked, boolean accessTokenRevoked, Instant expiresAt,
            Instant refreshExpiresAt) {}

    /** A group of an institution. Participants are those that are named: users, and fingerprints of others. */
    public record Group(String groupId, String groupName, String groupDescription, Instant groupLastUpdatedDateTime,
            int groupParticipantCount, String groupExperienceName, String groupStatus, List<String> participants) {
        public Group {
            participants = Json.list(participants);
        }
    }

    /** A job that imports participants into a group. */
    public record Job(String jobId, String groupId, String type, String inputFileName, String jobStatus,
            String jobDetails, String jobCreatedBy, int totalRecordsCount, int successRecordsCount,
            int failedRecordsCount, Instant createdDateTime, Instant lastUpdatedDateTime, List<JobError> errors) {
        public Job {
            errors = Json.list(errors);
        }
    }

    /** What is wrong with a row of a job's file. */
    public record JobError(int lineNbr, String errorMsg) {}

    /** An alert preference. What its request left out is null. */
    public record AlertPreference(JsonNode additionalInfo, Boolean alertOpted,
            AlertAccount alertPreferenceAccountDetails, AlertDetails alertPreferenceDetails, Boolean allowCallback,
            Boolean defaultPreferences) {}

    /** The account of an alert preference. */
    public record AlertAccount(String accountExternalId, String accountId) {}

    /** What an alert preference is about. */
    public record AlertDetails(long alertPrefId, String alertTypeName, String channelTypeName, String externalId) {}
}
