/** Roles of a signed-in user, weakest first; each may do what the ones before it may (decisions 2.3). */
import * as Schema from "effect/Schema"

export const roles = ["viewer", "editor", "admin", "owner"] as const
export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

export const atLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed)
