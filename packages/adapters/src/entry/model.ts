/** Models that answer questions of the kernel: endpoints that speak the protocol of OpenAI, and any language model of effect. */
export * as LanguageDecisions from "../model/LanguageDecisions.ts"
export * as ModelEndpoints from "../model/ModelEndpoints.ts"
export type { ModelEndpoint } from "../model/ModelEndpoints.ts"
export * as OpenAiLanguageModel from "../model/OpenAiLanguageModel.ts"
