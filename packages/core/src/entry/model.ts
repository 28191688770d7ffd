/** For those who answer questions of the kernel, such as which category a record has: the port, and the classifier behind it. */
export {
  type Decision,
  type DecisionModel,
  DecisionModels,
  type DecisionRequest,
  type Decisions,
  type EndpointBudget,
  type Label,
  ModelFailure,
  type Question
} from "../model/DecisionModel.ts"
export { localDecisions, LocalInput } from "../model/LocalModel.ts"
export { maxAnswerTokens, type Prompt, promptOf } from "../model/ModelPrompt.ts"
export { type Example, NaiveBayes } from "../model/NaiveBayes.ts"
