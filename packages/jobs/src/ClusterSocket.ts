/**
 * The engine of several machines: runners are registered in PostgreSQL, hold their shards by locks there, and
 * talk to each other over sockets.
 *
 * The sockets carry ids only, but know no passwords and no encryption: they belong in a private network.
 */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import type { JobEngine } from "@millrace/core/job"
import type { JobStore } from "@millrace/core/storage"
import type { SyncRun } from "@millrace/core/kernel"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import type * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import type { ConfigError } from "effect/Config"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SocketServerError } from "effect/socket/SocketServer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { layerClient, layerOver, tuning } from "./ClusterEngine.ts"
import type { Drain } from "./Drain.ts"
import type { JobRunnerOptions } from "./JobRunner.ts"

export interface Address {
  readonly host: string
  readonly port: number
}

type Engine = JobEngine | Drain

/** Without a port it has no address, and takes no shards. */
const layerSockets = (
  address: Address | undefined
): Layer.Layer<Sharding.Sharding, SocketServerError | ConfigError | SqlError, SqlClient> => {
  const own = Option.map(Option.fromUndefinedOr(address), (at) => RunnerAddress.make(at.host, at.port))
  // All of it, so that nothing is read from the environment.
  const config = { ...ShardingConfig.defaults, ...tuning, runnerAddress: own, runnerListenAddress: own }
  const sockets =
    address === undefined
      ? NodeClusterSocket.layer({ clientOnly: true, storage: "byo", shardingConfig: config })
      : NodeClusterSocket.layer({ storage: "byo", shardingConfig: config })
  return sockets.pipe(
    // A message that somebody marks as persisted dies at once instead of piling up.
    Layer.provide(MessageStorage.layerNoop),
    Layer.provide(Layer.provide(SqlRunnerStorage.layer, ShardingConfig.layer(config)))
  )
}

/** A machine that runs jobs; the others reach it at the address. */
export const layerSocket = (
  address: Address,
  options?: JobRunnerOptions
): Layer.Layer<Engine, SocketServerError | ConfigError | SqlError, JobStore | SyncRun | SqlClient> =>
  layerOver(layerSockets(address), { name: `${address.host}:${address.port}`, ...options, alone: false })

/** A machine that makes jobs and leaves them to the others. */
export const layerSocketClient: Layer.Layer<Engine, SocketServerError | ConfigError | SqlError, SqlClient> =
  layerClient(layerSockets(undefined))
