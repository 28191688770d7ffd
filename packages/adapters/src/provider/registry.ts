/** The bundled providers: one line each. */
import type { ProviderFactory } from "@millrace/core/provider"
import * as DemoProvider from "./demo/DemoProvider.ts"
import * as FiskilProvider from "./fiskil/FiskilProvider.ts"
import * as PlaidProvider from "./plaid/PlaidProvider.ts"
import * as QuilttProvider from "./quiltt/QuilttProvider.ts"
import * as SaltEdgeProvider from "./saltedge/SaltEdgeProvider.ts"
import * as SimpleFinProvider from "./simplefin/SimpleFinProvider.ts"
import * as SnapTradeProvider from "./snaptrade/SnapTradeProvider.ts"

export const bundledProviders: ReadonlyArray<ProviderFactory> = [
  DemoProvider.factory,
  FiskilProvider.factory,
  PlaidProvider.factory,
  QuilttProvider.factory,
  SaltEdgeProvider.factory,
  SimpleFinProvider.factory,
  SnapTradeProvider.factory
]
