package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonInclude;

/** What to change of a user: {@code new UserPatch().active(false)}. A member that is null changes nothing. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UserPatch(Boolean active, Boolean locked, String disclosureStatus) {
    /** Makes a patch that changes nothing yet. */
    public UserPatch() {
        this(null, null, null);
    }

    /** Returns the patch with another value of active. */
    public UserPatch active(boolean active) {
        return new UserPatch(active, locked, disclosureStatus);
    }

    /** Returns the patch with another value of locked: a locked user gets no tokens by password. */
    public UserPatch locked(boolean locked) {
        return new UserPatch(active, locked, disclosureStatus);
    }

    /** Returns the patch with a status for all disclosures of the user: ACCEPTED or NOT_ACCEPTED. */
    public UserPatch disclosureStatus(String status) {
        return new UserPatch(active, locked, status);
    }
}
