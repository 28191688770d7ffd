/** The flows of the specification's section 2.2, by what the person's browser is shown. */
import type { ClientStep, ConnectPayload } from "../provider/Connect.ts"
import { stepOfFlow } from "../provider/Connect.ts"
import type { ProviderDriver } from "../provider/Provider.ts"

/** The name of a flow on the wire: some carry the provider's name. */
export const flowOf = (kind: string, step: ClientStep["kind"]): string => {
  switch (step) {
    case "link":
    case "authSession":
      return `${kind}_link`
    case "connector":
      return `${kind}_connector`
    case "popup":
      return "portal_popup"
    case "redirect":
      return "oauth_redirect"
  }
}

/** The flow that connections of a driver begin with. */
export const flowOfDriver = ({ capabilities, kind }: Pick<ProviderDriver, "capabilities" | "kind">): string =>
  flowOf(kind, stepOfFlow[capabilities.connectFlow])

/** The flow in which a person first says whether a bank that exists already is meant. */
export const existingFlow = "existing_connection"

/** What a step is completed with. */
export const payloadKindOf = (step: ClientStep["kind"]): ConnectPayload["kind"] =>
  step === "link" ? "plaid_public_token" : "provider_connection_id"

/** Whether the person goes through it on a page of the provider's own, which may take hours. */
export const isHosted = (step: ClientStep["kind"]): boolean => step === "popup" || step === "redirect"
