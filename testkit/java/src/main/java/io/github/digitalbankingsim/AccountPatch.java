package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What to change of an account: {@code new AccountPatch().activateEstatement(true)}. A member that is null changes
 * nothing.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AccountPatch(Boolean activateEstatement, String disclosureStatus, Boolean updateFails) {
    /** Makes a patch that changes nothing yet. */
    public AccountPatch() {
        this(null, null, null);
    }

    /** Returns the patch with electronic statements switched on or off. */
    public AccountPatch activateEstatement(boolean activate) {
        return new AccountPatch(activate, disclosureStatus, updateFails);
    }

    /** Returns the patch with a status for all disclosures of the account: ACCEPTED or NOT_ACCEPTED. */
    public AccountPatch disclosureStatus(String status) {
        return new AccountPatch(activateEstatement, status, updateFails);
    }

    /** Returns the patch with whether an update of all accounts fails for this one. */
    public AccountPatch updateFails(boolean fails) {
        return new AccountPatch(activateEstatement, disclosureStatus, fails);
    }
}
