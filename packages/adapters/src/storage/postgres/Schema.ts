/**
 * Where in a database everything of ours is: in a schema of our own, so that the database may hold other things, and
 * nothing of theirs is ever taken for ours.
 *
 * Statements name tables without their schema; every connection looks for them here and nowhere else.
 */
import { everyWorkspace, workspacesSetting } from "./RowLevelSecurity.ts"

export const schemaName = "millrace"

/**
 * What a connection begins with that works for the installation and not for a workspace: migrations, backups, tests.
 * `RowLevelSecurity` explains the second one.
 */
export const startupParameters = { search_path: schemaName, [workspacesSetting]: everyWorkspace } as const
