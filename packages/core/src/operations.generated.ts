// Written by `npm run generate` from the definitions in */operations. Do not edit.
import { whoami } from "./access/operations/whoami.ts"
import { getWorkspace } from "./workspace/operations/getWorkspace.ts"
import { updateWorkspace } from "./workspace/operations/updateWorkspace.ts"
import { listAuditEntries } from "./audit/operations/listAuditEntries.ts"
import { verifyAudit } from "./audit/operations/verifyAudit.ts"
import { listBanks } from "./bank/operations/listBanks.ts"
import { getConnectionAttempt } from "./bank/operations/getConnectionAttempt.ts"
import { completeConnection } from "./bank/operations/completeConnection.ts"
import { startConnection } from "./bank/operations/startConnection.ts"
import { reauthConnection } from "./bank/operations/reauthConnection.ts"
import { listProviders } from "./bank/operations/listProviders.ts"
import { searchInstitutions } from "./bank/operations/searchInstitutions.ts"
import { getBank } from "./bank/operations/getBank.ts"
import { updateBank } from "./bank/operations/updateBank.ts"
import { deleteBank } from "./bank/operations/deleteBank.ts"
import { refreshBank } from "./bank/operations/refreshBank.ts"
import { restoreBank } from "./bank/operations/restoreBank.ts"
import { listAccounts } from "./bank/operations/listAccounts.ts"
import { getAccount } from "./bank/operations/getAccount.ts"
import { updateAccount } from "./bank/operations/updateAccount.ts"
import { getBalance } from "./bank/operations/getBalance.ts"
import { listHoldings } from "./bank/operations/listHoldings.ts"
import { getLoan } from "./bank/operations/getLoan.ts"
import { listOrders } from "./bank/operations/listOrders.ts"
import { listTrades } from "./bank/operations/listTrades.ts"
import { listTransactions } from "./bank/operations/listTransactions.ts"
import { receiveProviderWebhook } from "./provider/operations/receiveProviderWebhook.ts"
import { listMatches } from "./identity/operations/listMatches.ts"
import { redoMatch } from "./identity/operations/redoMatch.ts"
import { undoMatch } from "./identity/operations/undoMatch.ts"
import { listSuggestions } from "./identity/operations/listSuggestions.ts"
import { acceptSuggestion } from "./identity/operations/acceptSuggestion.ts"
import { rejectSuggestion } from "./identity/operations/rejectSuggestion.ts"
import { deleteTransaction } from "./identity/operations/deleteTransaction.ts"
import { restoreTransaction } from "./identity/operations/restoreTransaction.ts"
import { joinAccounts } from "./bank/operations/joinAccounts.ts"
import { listAccountJoins } from "./bank/operations/listAccountJoins.ts"
import { partAccounts } from "./bank/operations/partAccounts.ts"
import { listFeeds } from "./feed/operations/listFeeds.ts"
import { createFeed } from "./feed/operations/createFeed.ts"
import { getDataTypeSchema } from "./feed/operations/getDataTypeSchema.ts"
import { getFeed } from "./feed/operations/getFeed.ts"
import { updateFeed } from "./feed/operations/updateFeed.ts"
import { deleteFeed } from "./feed/operations/deleteFeed.ts"
import { triggerLearn } from "./feed/operations/triggerLearn.ts"
import { listFeedUploads } from "./upload/operations/listFeedUploads.ts"
import { uploadFeedFile } from "./upload/operations/uploadFeedFile.ts"
import { endFeedUpload } from "./upload/operations/endFeedUpload.ts"
import { startFeedUpload } from "./upload/operations/startFeedUpload.ts"
import { deleteFeedUpload } from "./upload/operations/deleteFeedUpload.ts"
import { readFeedUpload } from "./upload/operations/readFeedUpload.ts"
import { listJobs } from "./job/operations/listJobs.ts"
import { getJob } from "./job/operations/getJob.ts"
import { cancelJob } from "./job/operations/cancelJob.ts"
import { pauseJob } from "./job/operations/pauseJob.ts"
import { resumeJob } from "./job/operations/resumeJob.ts"
import { triggerSync } from "./job/operations/triggerSync.ts"
import { listFeedRecords } from "./destination/operations/listFeedRecords.ts"
import { redeliverFeedRecords } from "./destination/operations/redeliverFeedRecords.ts"
import { enrichmentOperations } from "./enrichment/operations/enrichments.ts"
import { listFindings } from "./enrichment/operations/listFindings.ts"
import { updateFinding } from "./enrichment/operations/updateFinding.ts"
import { listLinks } from "./explain/operations/listLinks.ts"
import { listBudgetPeriods } from "./explain/operations/listBudgetPeriods.ts"
import { listSeries } from "./explain/operations/listSeries.ts"
import { listWithheld } from "./explain/operations/listWithheld.ts"
import { listDecisions } from "./explain/operations/listDecisions.ts"
import { undoDecision } from "./explain/operations/undoDecision.ts"
import { mergeMerchants } from "./explain/operations/mergeMerchants.ts"
import { updateSeries } from "./explain/operations/updateSeries.ts"
import { mergeSeries } from "./explain/operations/mergeSeries.ts"
import { splitSeries } from "./explain/operations/splitSeries.ts"
import { undoRun } from "./explain/operations/undoRun.ts"
import { explainRecord } from "./explain/operations/explainRecord.ts"
import { setRecordFields } from "./explain/operations/setRecordFields.ts"
import { clearRecordFields } from "./explain/operations/clearRecordFields.ts"
import { undoChange } from "./explain/operations/undoChange.ts"
import { simulateEnrichments } from "./explain/operations/simulateEnrichments.ts"
import { getSimulation } from "./explain/operations/getSimulation.ts"
import { cancelSimulation } from "./explain/operations/cancelSimulation.ts"
import { previewEnrichment } from "./explain/operations/previewEnrichment.ts"
import { listTables } from "./table/operations/listTables.ts"
import { createTable } from "./table/operations/createTable.ts"
import { getTable } from "./table/operations/getTable.ts"
import { updateTable } from "./table/operations/updateTable.ts"
import { deleteTable } from "./table/operations/deleteTable.ts"
import { restoreTable } from "./table/operations/restoreTable.ts"
import { createField } from "./table/operations/createField.ts"
import { updateField } from "./table/operations/updateField.ts"
import { deleteField } from "./table/operations/deleteField.ts"
import { listRows } from "./table/operations/listRows.ts"
import { createRows } from "./table/operations/createRows.ts"
import { updateRows } from "./table/operations/updateRows.ts"
import { deleteRows } from "./table/operations/deleteRows.ts"
import { queryRows } from "./table/operations/queryRows.ts"
import { getRow } from "./table/operations/getRow.ts"
import { updateRow } from "./table/operations/updateRow.ts"
import { deleteRow } from "./table/operations/deleteRow.ts"
import { restoreRow } from "./table/operations/restoreRow.ts"

/** Every bundled operation, by its id. */
export const definitions = {
  whoami,
  getWorkspace,
  updateWorkspace,
  listAuditEntries,
  verifyAudit,
  listBanks,
  getConnectionAttempt,
  completeConnection,
  startConnection,
  reauthConnection,
  listProviders,
  searchInstitutions,
  getBank,
  updateBank,
  deleteBank,
  refreshBank,
  restoreBank,
  listAccounts,
  getAccount,
  updateAccount,
  getBalance,
  listHoldings,
  getLoan,
  listOrders,
  listTrades,
  listTransactions,
  receiveProviderWebhook,
  listMatches,
  redoMatch,
  undoMatch,
  listSuggestions,
  acceptSuggestion,
  rejectSuggestion,
  deleteTransaction,
  restoreTransaction,
  joinAccounts,
  listAccountJoins,
  partAccounts,
  listFeeds,
  createFeed,
  getDataTypeSchema,
  getFeed,
  updateFeed,
  deleteFeed,
  triggerLearn,
  listFeedUploads,
  uploadFeedFile,
  endFeedUpload,
  startFeedUpload,
  deleteFeedUpload,
  readFeedUpload,
  listJobs,
  getJob,
  cancelJob,
  pauseJob,
  resumeJob,
  triggerSync,
  listFeedRecords,
  redeliverFeedRecords,
  ...enrichmentOperations,
  listFindings,
  updateFinding,
  listLinks,
  listBudgetPeriods,
  listSeries,
  listWithheld,
  listDecisions,
  undoDecision,
  mergeMerchants,
  updateSeries,
  mergeSeries,
  splitSeries,
  undoRun,
  explainRecord,
  setRecordFields,
  clearRecordFields,
  undoChange,
  simulateEnrichments,
  getSimulation,
  cancelSimulation,
  previewEnrichment,
  listTables,
  createTable,
  getTable,
  updateTable,
  deleteTable,
  restoreTable,
  createField,
  updateField,
  deleteField,
  listRows,
  createRows,
  updateRows,
  deleteRows,
  queryRows,
  getRow,
  updateRow,
  deleteRow,
  restoreRow
}
