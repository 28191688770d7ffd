/** What those by hand share: the key with its workspace, the rolling window, and who asks as it is answered. */

export const windowMillis = 60_000
export const limits: Readonly<Record<string, number>> = {
  standard: 10,
  professional: 20,
  business: 30,
  enterprise: 600
}

export const keyOf = `select k.body, w.id, w.name, w.icon, w.plan, w.timezone, w.parent_workspace_id
  from api_key k join workspace w on w.id = k.workspace_id where k.hash = $1`

export const arrive = `insert into peer_window as w (key, size, stamps)
  values ($1, $2::int, array[floor(extract(epoch from statement_timestamp()) * 1000)::float8])
  on conflict (key) do update set size = excluded.size,
    stamps = (greatest(excluded.stamps[1], w.stamps[1]) || w.stamps[1:w.size])[1:excluded.size + 1]
  returning stamps[1] as at, stamps[size] as blocking, stamps[size + 1] as oldest`

export type Row = Readonly<Record<string, unknown>>

export interface Key {
  readonly id: string
  readonly name: string
  readonly keyPrefix: string
  readonly scopes: ReadonlyArray<string>
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

export const whoamiOf = (key: Key, workspace: Row) => {
  const of = { id: workspace["id"], name: workspace["name"] }
  return {
    success: true,
    data: {
      workspaceId: of.id,
      workspaceName: of.name,
      name: key.name,
      principal: { kind: "api_key", id: key.id, name: key.name },
      scopes: key.scopes,
      key: { id: key.id, keyPrefix: key.keyPrefix, name: key.name, expiresAt: key.expiresAt },
      workspace: {
        ...of,
        plan: workspace["plan"],
        timezone: workspace["timezone"],
        isPortal: workspace["parent_workspace_id"] !== null
      },
      plan: {
        id: workspace["plan"],
        apiAccess: true,
        requestsPerMinute: limits[String(workspace["plan"])],
        limits: {
          automations: null,
          banks: null,
          feeds: null,
          fastestSchedule: "hourly",
          historyDays: null,
          mailboxes: null,
          members: null,
          portals: null,
          rows: null
        }
      },
      serverTime: new Date().toISOString(),
      apiVersion: "1.0.0"
    }
  }
}
