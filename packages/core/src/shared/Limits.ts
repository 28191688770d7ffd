/** Every limit of the product, in one place (decisions 1.8). All are inclusive. */
export const limits = {
  /** Bytes of a JSON request body. */
  jsonBodyBytes: 1_048_576,
  /** Bytes of a multipart upload. */
  uploadBytes: 26_214_400,
  jsonDepth: 32,
  requestTargetBytes: 8_192,
  headerBytes: 16_384,
  textLength: 2_000,
  nameLength: 200,
  mappingKeyLength: 128,
  /** Page sizes: maximum, and the default used when none is asked for. */
  transactionsPage: { max: 500, default: 500 },
  tradesPage: { max: 2_000, default: 2_000 },
  jobsPage: { max: 100, default: 20 },
  page: { max: 500, default: 100 },
  tradesRangeDays: 1_830,
  /** Days of trades that the first sync of an account reads, and a list that names no first day. */
  tradesFirstDays: 90,
  cursorLength: 1_024,
  /** Hours a page cursor and days a watermark stay valid (decisions 1.6). */
  pageCursorHours: 24,
  watermarkDays: 180,
  /** Parts of cursors that are too long to be carried, which are kept for one workspace, and their bytes. */
  keptCursorParts: 1_000,
  keptCursorBytes: 16_777_216,
  /** Institutions that a search shows of one provider. */
  institutionsPerProvider: 50,
  /** Characters of what is searched for, of ids of attempts, of addresses to return to; countries of one request. */
  institutionQueryLength: 100,
  attemptIdLength: 1_024,
  redirectUriLength: 2_048,
  countryCodes: 20,
  feedAccounts: 100,
  feedMappings: 200,
  extractionFields: 100,
  extractionExamples: 20,
  /** Characters. */
  extractionInstructions: 4_000,
  /** Items that one document may list. */
  documentItems: 1_000,
  enrichmentsPerWorkspace: 200,
  /** Those that are switched on and look at one feed, and claims that they make of one row together. */
  enrichmentsPerFeed: 50,
  viewClaims: 200,
  rulesPerEnrichment: 500,
  /** Rows of a table that a lookup reads, and entries that one holds itself. */
  lookupRows: 50_000,
  lookupEntries: 5_000,
  /** Records of one partition of a set kind, and rounds until partitions must have settled. */
  partitionRecords: 20_000,
  /** Partitions and records of them that one transaction plans for an analysis; the next one goes on. */
  runPartitions: 20_000,
  plannedRecords: 40_000,
  /** Values of records in their partitions that a first analysis holds until they are planned; what is more is read back. */
  heldValues: 5_000_000,
  planRounds: 24,
  /**
   * Units of work (`shared/Work`): what all enrichments of a feed may do for one record, which they share, and the least share of
   * each; what one may do in a run at once, and for each of its records on average; the same for partitions of a set kind; and what
   * is done before others have their turn.
   */
  recordWork: 8_000_000,
  stepWork: 500_000,
  runWork: 40_000_000,
  averageWork: 400_000,
  /**
   * An enrichment of single records is marked once it has done so much work, a plan in this thread before it begins where it has so
   * many records, and such a plan in another thread once it has gone on for so many seconds.
   */
  markedWork: 20_000_000,
  markedRecords: 2_000,
  markedSeconds: 15,
  /** Processes that died while an enrichment did so much work, after which it is set aside. */
  planningDeaths: 2,
  setWork: 400_000_000,
  setRecordWork: 200_000,
  turnWork: 2_000_000,
  /** Events that one run of an enrichment tells; faults of one enrichment that a job names one by one. */
  enrichmentEvents: 5_000,
  enrichmentFaults: 50,
  /** Runs that fail one after the other, and faults and their percentage of the records of one run: then one is degraded. */
  failedRuns: 3,
  degradingFaults: 20,
  degradingPercent: 20,
  /** Messages of faults that the state of an enrichment tells. */
  keptFaults: 5,
  /** Feeds of an enrichment whose runs make up its state. */
  enrichmentRunsRead: 2_000,
  /** Former configurations from which an enrichment remembers something. */
  enrichmentPast: 120,
  /** Records of one preview, bytes of one of them, and records of the ledger that are looked at again for what is only shown. */
  previewRecords: 50,
  previewRecordBytes: 32_768,
  rehearsedRecords: 20_000,
  /** Days for which a filter may hold a row back before a run warns of it. */
  holdDays: 90,
  /** Changes of one simulation. */
  simulatedChanges: 20,
  /** Seconds after which a simulation is played in the background, how many are at once, and days for which they can be read. */
  simulationSeconds: 10,
  openSimulations: 5,
  simulationDays: 30,
  /** Fields of a record that a person speaks about in one request. */
  wordFields: 50,
  /** Payments by which a series that a person named, joined or parted is known again. */
  seriesAnchors: 12,
  /** Lines that a record falls into. */
  recordLines: 50,
  /** Days that the history of values stays after their record is gone, and entries of it that an explanation tells. */
  changeDays: 400,
  toldChanges: 200,
  /** Characters of the key of a finding, and of what a person notes about one. */
  findingKey: 500,
  findingNote: 2_000,
  /** What people decided about enrichments and has not been lifted, in one workspace. */
  enrichmentFacts: 100_000,
  /** Answers of models that are kept for one workspace. */
  modelAnswers: 100_000,
  /** Minutes after which tokens that were reserved and not settled count as spent. */
  modelReservationMinutes: 15,
  /** Values set by people that the local classifier of a workspace learns from, newest first. */
  modelExamples: 5_000,
  /** Messages that one after a silence tells together; days that messages to people are kept. */
  collectedMessages: 500,
  messageDays: 400,
  conditionsPerGroup: 256,
  conditionDepth: 8,
  filterNodes: 256,
  filterDepth: 8,
  /** Items of all lists of a filter, and clauses that match a pattern: what one request may cost everybody else. */
  filterItems: 10_000,
  filterPatterns: 16,
  /** Comparisons of a filter with cells, of all rows of the table together. */
  queryComparisons: 10_000_000,
  /** Seconds that the database may take for a read of rows that had to be searched for. */
  querySeconds: 5,
  /** Characters of a text that a filter compares with. */
  filterText: 2_000,
  inListItems: 1_000,
  conditionText: 1_000,
  patternLength: 500,
  templateLength: 2_000,
  patternInput: 10_240,
  tableFields: 200,
  tableRelations: 10,
  fieldChoices: 500,
  /** Digits after the point of a number field. */
  fieldScale: 12,
  /** Characters of a number that is sent as text. */
  numberText: 30,
  rowBytes: 65_536,
  /** Ids in one cell that leads to many rows, or choices in one multi-select cell. */
  cellItems: 1_000,
  rowSortFields: 3,
  /** Rows of one bulk call. */
  bulkRows: 500,
  /** Rows that are read to count those that match a pattern. */
  patternScanRows: 100_000,
  /** Bytes of a filter in a query; longer ones are posted. */
  filterParameterBytes: 6_144,
  externalKeyLength: 256,
  /** Days that things stay in the trash. */
  trashDays: 30,
  jobErrors: 200,
  errorDetails: 50,
  opaquePosition: 4_096,
  /** Observations of one pull that are held at once; more of them are put aside in storage until all of it was read. */
  stagedInMemory: 20_000,
  /** Length of what is put aside in one piece: three bytes a character are less than the driver takes in one answer. */
  stageChunkCharacters: 1_000_000,
  /** Bytes of what is put aside that a pull holds itself; beyond that it goes to storage. */
  stagePackedBytes: 8_000_000,
  /** Observations that are read back at once. */
  stageReadBack: 150_000,
  /** Records written in one transaction. */
  commitChunk: 5_000,
  /**
   * Those of a sync, and those whose rows it works out and delivers in one transaction: each is held in several forms until
   * it is written, and several accounts are written at once.
   */
  syncedChunk: 5_000,
  /** Characters of values from which no more rows are written in the same transaction of a delivery. */
  historyText: 1_000_000,
  deliveryChunk: 1_000,
  /** Refusals of one version of a row before it is a dead letter, which plain runs leave alone. */
  deliveryAttempts: 5,
  /** Records that are pushed at once, and characters of their keys. */
  pushedRecords: 500,
  pushedKeyLength: 128,
  /** Record ids named in one redelivery, and rows that it takes up at most. */
  redeliverIds: 500,
  redeliverRows: 50_000,
  /** Attempts of a job before it fails as WORKER_LOST (decisions 6.4). */
  jobAttempts: 3,
  /** Jobs that ended are kept for so many days, and of one feed so many. */
  jobHistoryDays: 400,
  jobHistory: 1_000,
  /** Days that events are kept, and days that they are kept at most for a consumer that has not had them. */
  eventDays: 30,
  eventWaitDays: 90,
  /** Days that entries of the audit are kept, and minutes after which one that nobody has ended counts as it was begun. */
  auditDays: 730,
  auditMinutes: 5,
  /** Hours that the answer to a request with an idempotency key is kept, and characters of such a key. */
  idempotencyHours: 24,
  idempotencyKeyLength: 255,
  /** Ids that one event names; of more it names the first ones and their count. */
  eventIds: 500,
  /** Days for which tasks that were given up are kept. */
  taskHistoryDays: 30,
  /** Characters of the last error of a task. */
  taskErrorLength: 2_000,
  /** Runs that repeat one that failed of something that passes; the next regular run starts again. */
  runRetries: 5,
  /** A due job that found no slot for this long fails as QUEUE_TIMEOUT. */
  queueMinutes: 15,
  /** An upstream wait longer than this pauses the job instead of blocking its slot. */
  pauseOverSeconds: 300,
  userPauseHours: 24,
  /** Bytes of an answer to one request outside, and seconds until its last one, unless the request says otherwise. */
  outboundBytes: 16_777_216,
  outboundSeconds: 30,
  paginationRestarts: 3,
  /** Former upstream ids that a record keeps, and days after which one that was not seen again is dropped. */
  aliasesPerRecord: 16,
  aliasDays: 400,
  /** Pairs of pending and booked text that an account remembers. */
  learntTexts: 100,
  /** Days in which a match can be taken back. */
  matchDays: 400,
  /** Days that callbacks of providers are remembered, so that a repeat is known as one. */
  webhookDays: 30,
  /** Seconds between two runs of a feed that callbacks ask for. */
  webhookPullSeconds: 60,
  /** What people decided about the identity of records and has not been lifted, in one workspace. */
  identityFacts: 100_000,
  /** The largest whole number that is kept of those that people give, such as an order. */
  largestInteger: 2_147_483_647,
  amountWholeDigits: 13,
  rateFractionDigits: 12,
  nameCodePoints: 200
} as const
