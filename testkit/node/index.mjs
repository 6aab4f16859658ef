// The same package for ES modules: both kinds of modules have one Bank.

import kit from "./index.cjs";

export const { Bank, playwrightBank, vitestBank, withBank } = kit;
