package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonInclude;

/** What to change of an institution: {@code new InstitutionPatch().multistatement(true)}. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record InstitutionPatch(Boolean multistatement) {
    /** Makes a patch that changes nothing yet. */
    public InstitutionPatch() {
        this(null);
    }

    /** Returns the patch with another value of multistatement. */
    public InstitutionPatch multistatement(boolean multistatement) {
        return new InstitutionPatch(multistatement);
    }
}
