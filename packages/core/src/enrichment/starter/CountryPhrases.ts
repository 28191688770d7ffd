/** What transfers, fees and refunds are called where people bank. */

/** Phrases that begin a word of a text, whatever their case. Accents count, so words that banks print both ways are there twice. */
export interface CountryPhrases {
  /** ISO 3166-1. */
  readonly country: string
  readonly name: string
  /** Between own accounts. */
  readonly transfers: ReadonlyArray<string>
  readonly fees: ReadonlyArray<string>
  readonly refunds: ReadonlyArray<string>
}

const english = {
  transfers: [
    "internal transfer",
    "own account transfer",
    "transfer between accounts",
    ...["savings", "checking", "current account", "everyday", "saver"].flatMap((place) =>
      ["transfer", "xfer", "tfr"].flatMap((word) => [`${word} to ${place}`, `${word} from ${place}`])
    )
  ],
  refunds: ["refund", "reversal of", "returned purchase", "purchase return", "chargeback credit"]
}

export const countryPhrases: ReadonlyArray<CountryPhrases> = [
  {
    country: "US",
    name: "United States",
    ...english,
    fees: [
      "overdraft fee",
      "nsf fee",
      "wire fee",
      "wire transfer fee",
      "late fee",
      "late payment fee",
      "atm fee",
      "foreign transaction fee",
      "cash advance fee",
      "returned item fee",
      "stop payment fee",
      "monthly service fee",
      "monthly service charge",
      "monthly maintenance fee",
      "interest charge"
    ]
  },
  {
    country: "GB",
    name: "United Kingdom",
    ...english,
    fees: [
      "arranged overdraft",
      "overdraft interest",
      "overdraft fee",
      "account charge",
      "account fee",
      "non-sterling transaction fee",
      "non-sterling cash fee",
      "cash fee",
      "unpaid item fee",
      "late payment fee",
      "interest charged"
    ]
  },
  {
    country: "AU",
    name: "Australia",
    ...english,
    fees: [
      "account keeping fee",
      "account service fee",
      "dishonour fee",
      "overdrawn fee",
      "international transaction fee",
      "foreign currency fee",
      "atm fee",
      "late payment fee",
      "debit interest",
      "interest charged"
    ]
  },
  {
    country: "DE",
    name: "Germany",
    transfers: [
      "umbuchung",
      "eigenübertrag",
      "eigenuebertrag",
      "kontoübertrag",
      "kontouebertrag",
      "übertrag auf tagesgeld",
      "übertrag von tagesgeld"
    ],
    fees: [
      "kontoführung",
      "kontofuehrung",
      "entgeltabrechnung",
      "auslandseinsatzentgelt",
      "sollzins",
      "überziehungszins",
      "ueberziehungszins",
      "kartengebühr",
      "kartengebuehr",
      "jahresentgelt karte"
    ],
    refunds: [
      "erstattung",
      "rückerstattung",
      "rueckerstattung",
      "rückzahlung",
      "rueckzahlung",
      "retoure",
      "stornierung"
    ]
  },
  {
    country: "FR",
    name: "France",
    transfers: [
      "virement interne",
      "virement entre comptes",
      "virement vers livret",
      "virement de livret",
      "vir vers livret",
      "vir de livret",
      "virement epargne",
      "virement épargne"
    ],
    fees: [
      "frais de tenue",
      "frais bancaire",
      "frais de rejet",
      "frais de virement",
      "frais de retrait",
      "cotisation carte",
      "commission d'intervention",
      "commission d intervention",
      "agios",
      "intérêts débiteurs",
      "interets debiteurs"
    ],
    refunds: ["remboursement", "annulation achat", "annulation carte"]
  },
  {
    country: "ES",
    name: "Spain",
    transfers: ["traspaso interno", "traspaso entre cuentas", "traspaso propio", "transferencia entre cuentas"],
    fees: [
      "comisión",
      "comision",
      "intereses descubierto",
      "intereses de descubierto",
      "cuota tarjeta",
      "cuota anual tarjeta",
      "gastos de mantenimiento"
    ],
    refunds: ["devolución", "devolucion", "reembolso", "anulación compra", "anulacion compra"]
  },
  {
    country: "IT",
    name: "Italy",
    transfers: ["giroconto", "girofondi", "giro fondi", "trasferimento tra conti"],
    fees: [
      "canone mensile",
      "canone annuo",
      "canone conto",
      "canone carta",
      "commissione",
      "commissioni",
      "spese tenuta conto",
      "spese di tenuta conto",
      "imposta di bollo",
      "interessi passivi",
      "interessi debitori"
    ],
    refunds: ["rimborso", "riaccredito", "storno"]
  },
  {
    country: "NL",
    name: "Netherlands",
    transfers: [
      "eigen rekening",
      "interne overboeking",
      "naar spaarrekening",
      "van spaarrekening",
      "naar oranje spaarrekening",
      "van oranje spaarrekening"
    ],
    fees: [
      "kosten betaalpakket",
      "kosten rekening",
      "kosten betaalrekening",
      "debetrente",
      "rood staan",
      "roodstand",
      "jaarbijdrage kaart",
      "kosten buitenland"
    ],
    refunds: ["terugbetaling", "retourzending", "creditering", "teruggave"]
  },
  {
    country: "PT",
    name: "Portugal and Brazil",
    transfers: [
      "transferência entre contas",
      "transferencia entre contas",
      "transferência própria",
      "transf entre contas",
      "conta própria",
      "conta propria"
    ],
    fees: [
      "comissão",
      "comissao",
      "tarifa",
      "manutenção de conta",
      "manutencao de conta",
      "anuidade",
      "imposto do selo",
      "imposto de selo",
      "juros descoberto"
    ],
    refunds: ["reembolso", "estorno", "devolução", "devolucao"]
  }
]
