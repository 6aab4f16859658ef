package io.github.digitalbankingsim;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * A group to add.
 *
 * @param groupName the name, which no other group of the institution has
 * @param groupDescription null for none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NewGroup(String groupName, String groupDescription) {
    /** Makes a group without a description. */
    public NewGroup(String groupName) {
        this(groupName, null);
    }
}
