package io.github.digitalbankingsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;

// Generated from the OpenAPI document of the control API by go generate ./testkit. Don't edit it.

/**
 * What the control API answers with, under its names. If a member isn't there, a boolean is false, a list is
 * empty, and anything else is null.
 */
public final class Api {
    private Api() {}

    public record Account(
            String accountId,
            boolean activateEstatement,
            List<Disclosure> disclosures,
            boolean updateFails) {}

    /**
     * @param accountExternalId null if there is none
     * @param accountId null if there is none
     */
    public record AlertAccount(String accountExternalId, String accountId) {}

    /**
     * @param additionalInfo null if there is none
     */
    public record AlertDefault(
            Map<String, JsonNode> additionalInfo,
            boolean alertOpted,
            String alertTypeName,
            String channelTypeName,
            long institutionAlertPrefId) {}

    /**
     * @param alertTypeName null if there is none
     * @param channelTypeName null if there is none
     * @param externalId null if there is none
     */
    public record AlertDetails(long alertPrefId, String alertTypeName, String channelTypeName, String externalId) {}

    /**
     * @param additionalInfo null if there is none
     * @param alertPreferenceAccountDetails null if there is none
     */
    public record AlertPreference(
            Map<String, JsonNode> additionalInfo,
            boolean alertOpted,
            AlertAccount alertPreferenceAccountDetails,
            AlertDetails alertPreferenceDetails,
            boolean allowCallback,
            boolean defaultPreferences) {}

    /**
     * @param reason null if there is none
     */
    public record AlertType(
            String alertTypeName,
            List<String> channelsOptd,
            long institutionAlertTypeId,
            String reason,
            String statusOptd) {}

    /**
     * @param after null: it is not there
     * @param before null: it was not there
     * @param row Its table and its key, such as accounts/02688/1001/acc-1001-checking
     */
    public record Change(Map<String, JsonNode> after, Map<String, JsonNode> before, String row) {}

    public record Coverage(String format, List<CoverageRun> runs) {}

    /**
     * @param code null if there is none
     * @param connection null if there is none
     * @param phase null if there is none
     * @param rule null if there is none
     * @param status null if there is none
     */
    public record CoveragePoint(
            int byBank,
            String code,
            String connection,
            String dialect,
            int injected,
            String kind,
            String operation,
            String phase,
            boolean possible,
            String rule,
            Integer status) {}

    /**
     * @param entries null if there is none
     */
    public record CoverageRun(
            Map<String, Long> entries,
            String id,
            List<CoveragePoint> other,
            List<CoveragePoint> points,
            Instant started,
            String version) {}

    /**
     * @param institutionDisclosureData null if there is none
     * @param institutionDisclosureDataType null if there is none
     */
    public record CustomDisclosure(
            String institutionDisclosureData,
            String institutionDisclosureDataType,
            String institutionDisclosureId,
            String institutionDisclosureName) {}

    /**
     * @param message null if there is none
     * @param row The row that the rule looked at, such as users/02688/1002; null if there is none
     */
    public record Decision(
            String basis,
            List<String> entries,
            String message,
            String outcome,
            String row,
            String rule) {}

    /**
     * @param since What the bank is compared with: a snapshot, or start
     * @param total How many rows differ. Only there if limit is given; null if there is none
     */
    public record Diff(List<Change> changes, String since, Integer total) {}

    public record Disclosure(
            String institutionDisclosureName,
            String institutionDisclosureStatus,
            Instant institutionUserDisclosureStatusUpdateDateTime,
            boolean paperWaiver) {}

    /**
     * @param dialect null if there is none
     * @param fault null if there is none
     * @param matched Where the words of the text that was asked for were found first
     * @param sentBy The name of the control token whose call sent the request; null if there is none
     * @param user The hostUserId of the user that the request or its token names; null if there is none
     */
    public record Exchange(
            Instant at,
            boolean changed,
            Decision decision,
            String dialect,
            FaultReport fault,
            String id,
            List<Lint> lints,
            List<String> matched,
            String operation,
            Instant realAt,
            Request request,
            Response response,
            String sandbox,
            String sentBy,
            long tookMicros,
            String user) {
        public Exchange {
            matched = Json.list(matched);
        }
    }

    /**
     * @param answeredBy null if there is none
     * @param bankStatus null if there is none
     * @param connection null if there is none
     * @param expiredBy null if there is none
     * @param phase null if there is none
     * @param staleBy null if there is none
     */
    public record FaultReport(
            String answeredBy,
            Integer bankStatus,
            String connection,
            long delayMicros,
            String expiredBy,
            List<String> fired,
            String phase,
            String staleBy,
            boolean undocumented,
            List<String> withoutEffect) {
        public FaultReport {
            withoutEffect = Json.list(withoutEffect);
        }
    }

    /**
     * @param from Where the fault comes from, as its rule says; null if there is none
     * @param name The name of the fault, or the code of the lint; null if there is none
     * @param summary Which requests the fault fires for; null if there is none
     * @param text A sentence for a test to fail with
     */
    public record Finding(String from, String kind, String name, String summary, String text) {}

    /**
     * @param participants The named participants: hostUserIds of users, fingerprints of others
     */
    public record Group(
            String groupDescription,
            String groupExperienceName,
            String groupId,
            Instant groupLastUpdatedDateTime,
            String groupName,
            int groupParticipantCount,
            String groupStatus,
            List<String> participants) {
        public Group {
            participants = Json.list(participants);
        }
    }

    /**
     * @param alertPreferences The alert preferences that belong to no user
     * @param clients The shared keys of the clients
     * @param counts How many rows match in each list. Only there if limit is given; null if there is none
     * @param institutionAlertPreferences The alert preferences of users that have none of their own
     * @param institutionDisclosures The disclosures besides OLS, ESIGN and IB
     */
    public record Institution(
            List<AlertPreference> alertPreferences,
            List<String> alertTypes,
            List<String> clients,
            Map<String, Long> counts,
            List<Group> groups,
            List<AlertDefault> institutionAlertPreferences,
            List<AlertType> institutionAlertTypes,
            List<CustomDisclosure> institutionDisclosures,
            String institutionId,
            List<Job> jobs,
            boolean multistatement,
            List<Token> tokens,
            List<User> users) {
        public Institution {
            institutionAlertPreferences = Json.list(institutionAlertPreferences);
            institutionAlertTypes = Json.list(institutionAlertTypes);
            institutionDisclosures = Json.list(institutionDisclosures);
        }
    }

    /**
     * @param institutionAlertPreferences The alert preferences of users that have none of their own
     * @param institutionDisclosures The disclosures besides OLS, ESIGN and IB
     */
    public record InstitutionRow(
            List<String> alertTypes,
            List<AlertDefault> institutionAlertPreferences,
            List<AlertType> institutionAlertTypes,
            List<CustomDisclosure> institutionDisclosures,
            String institutionId,
            boolean multistatement) {
        public InstitutionRow {
            institutionAlertPreferences = Json.list(institutionAlertPreferences);
            institutionAlertTypes = Json.list(institutionAlertTypes);
            institutionDisclosures = Json.list(institutionDisclosures);
        }
    }

    /**
     * @param jobDetails null if there is none
     */
    public record Job(
            Instant createdDateTime,
            List<JobError> errors,
            int failedRecordsCount,
            String groupId,
            String inputFileName,
            String jobCreatedBy,
            String jobDetails,
            String jobId,
            String jobStatus,
            Instant lastUpdatedDateTime,
            int successRecordsCount,
            int totalRecordsCount,
            String type) {}

    public record JobError(String errorMsg, int lineNbr) {}

    public record Lint(String code, String message) {}

    /**
     * @param expiresAt When the access token expires, in virtual time
     * @param hostUserId The user that the token is bound to. null: none
     * @param refreshToken The refresh token. null: there is none
     */
    public record MintedToken(
            String accessToken,
            String client,
            Instant expiresAt,
            String hostUserId,
            String institutionId,
            String refreshToken) {}

    /**
     * @param httpVersion HTTP/2. null: the request came by HTTP/1
     */
    public record Request(
            String body,
            int bodyBytes,
            boolean bodyTruncated,
            Map<String, List<String>> headers,
            String httpVersion,
            String method,
            String path,
            Map<String, List<String>> query,
            String url) implements Headers {}

    public record Response(
            String body,
            int bodyBytes,
            boolean bodyTruncated,
            Map<String, List<String>> headers,
            int status) implements Headers {}

    public record State(List<Institution> institutions) implements Rows {}

    /**
     * @param code null if there is none
     * @param expiresAt null if there is none
     * @param hostUserId null if there is none
     * @param refreshExpiresAt null if there is none
     * @param refreshToken null if there is none
     * @param row The table and the key of the row, as in a diff. Only there if limit is given; null if there is none
     */
    public record Token(
            String accessToken,
            boolean accessTokenRevoked,
            String client,
            String code,
            Instant expiresAt,
            String grantType,
            String hostUserId,
            Instant refreshExpiresAt,
            String refreshToken,
            boolean revoked,
            String row,
            List<String> scopes) {
        public Token {
            scopes = Json.list(scopes);
        }
    }

    /**
     * @param status What else the user status has, if the scenario gives it; null if there is none
     * @param username null if there is none
     */
    public record User(
            List<Account> accounts,
            boolean active,
            List<AlertPreference> alertPreferences,
            String customerId,
            List<Disclosure> disclosures,
            String hostUserId,
            String institutionUserId,
            UserStatus status,
            String username) {}

    /**
     * @param failedLoginCount null if there is none
     * @param failedPasswordResetCount null if there is none
     * @param holdDateTime null if there is none
     * @param holdInitiatedBy null if there is none
     * @param holdReason null if there is none
     * @param lastLoginDateTime null if there is none
     * @param parentHostUserId The hostUserId of the primary user. Only a sub-user has one; null if there is none
     */
    public record UserStatus(
            boolean approved,
            Integer failedLoginCount,
            Integer failedPasswordResetCount,
            Instant holdDateTime,
            String holdInitiatedBy,
            String holdReason,
            Instant lastLoginDateTime,
            boolean locked,
            boolean onHold,
            String parentHostUserId,
            boolean registered,
            boolean rejected,
            boolean reset) {}

    /**
     * @param findings What the test has to fail with
     * @param notes What may be meant so
     * @param passed Whether there are no findings
     * @param requests How many requests the sandbox had
     */
    public record Verdict(List<Finding> findings, List<Finding> notes, boolean passed, int requests) {}
}
