/**
 * What the pages for people who connect a bank say, in each language. Texts are plain; pages escape them. One more language is one
 * more entry of `languages`.
 */
export interface Words {
  readonly lang: string
  /** Of the institution where it was chosen before. */
  readonly connectTitle: (institution: string | undefined) => string
  readonly reauthTitle: (bank: string) => string
  /** Who asks, for what. */
  readonly asks: (workspace: string, provider: string) => string
  readonly privacy: string
  readonly goOn: string
  readonly cancel: string
  readonly goBack: string
  readonly closeWindow: string
  readonly tryAgain: string
  readonly goTo: (provider: string) => string
  readonly widget: (provider: string) => string
  readonly needsScript: string
  readonly widgetAbsent: (provider: string) => string
  readonly frame: string
  readonly portal: (provider: string) => string
  readonly openProvider: (provider: string) => string
  readonly makeToken: string
  readonly pasteToken: string
  readonly tokenLabel: string
  readonly connect: string
  readonly tokenMissing: string
  readonly tokenRefused: string
  readonly returnedTitle: string
  readonly returned: (provider: string) => string
  readonly choiceTitle: string
  readonly choice: string
  readonly choiceQuestion: string
  readonly asksAgain: string
  readonly another: string
  readonly doneTitle: string
  /** Without a name: of the bank. */
  readonly done: (bank: string | undefined) => string
  readonly workingTitle: string
  readonly working: string
  readonly cancelledTitle: string
  readonly cancelled: string
  readonly endedTitle: string
  readonly ended: { readonly failed: string; readonly superseded: string; readonly expired: string }
  readonly unknownTitle: string
  readonly unknown: string
  readonly startAgain: string
  readonly faultTitle: string
  /** What went wrong, by the code of the answer. `undefined`: the sentence of the server says it. */
  readonly fault: (code: string, bank: string | undefined) => string | undefined
}

const en: Words = {
  lang: "en",
  connectTitle: (institution) => `Connect ${institution ?? "your bank"}`,
  reauthTitle: (bank) => `Sign in again at ${bank}`,
  asks: (workspace, provider) =>
    `${workspace} asks to read the accounts, balances and transactions of your bank through ${provider}. It can only read: it can move no money.`,
  privacy: "Your sign-in details go to the bank and to the provider, never to this server.",
  goOn: "Go on",
  cancel: "Cancel",
  goBack: "Go back",
  closeWindow: "You can close this window.",
  tryAgain: "Try again",
  goTo: (provider) => `Go to ${provider}`,
  widget: (provider) => `${provider} opens a window in which you choose your bank and sign in.`,
  needsScript: "This provider’s own window needs JavaScript, which is off in this browser.",
  widgetAbsent: (provider) =>
    `The window of ${provider} could not be loaded. Check your connection, and allow this page to load it where an extension of your browser blocks it. Then load this page again.`,
  frame: "Choose your bank below and give your consent.",
  portal: (provider) => `You choose your bank and sign in on a page of ${provider}, and then come back here.`,
  openProvider: (provider) => `Open ${provider} in another window`,
  makeToken: "Sign in there and make a new setup token.",
  pasteToken: "Paste the token here. It works once.",
  tokenLabel: "Setup token",
  connect: "Connect",
  tokenMissing: "Paste the setup token that the provider shows.",
  tokenRefused:
    "The provider does not take this setup token. Check that you copied all of it, or make a new one: each works once.",
  returnedTitle: "Go on connecting your bank?",
  returned: (provider) =>
    `Your browser came back from ${provider}. Go on if you have just been there to connect your bank. If you followed a link of somebody else, close this window.`,
  choiceTitle: "This bank is connected already",
  choice:
    "Sign in again where it asks you to: it keeps its accounts and everything that was read. Connect another one for another login at the same bank.",
  choiceQuestion: "Which one do you mean?",
  asksAgain: "asks you to sign in again",
  another: "Another login at this bank",
  doneTitle: "Your bank is connected",
  done: (bank) => `${bank ?? "The bank"} is connected. Its data will appear with the next sync.`,
  workingTitle: "Reading your accounts",
  working: "Your bank is connected, and its accounts are being read. This takes some seconds.",
  cancelledTitle: "You stopped before the bank was connected",
  cancelled: "Nothing was connected, and nothing was read.",
  endedTitle: "The bank is not connected",
  ended: {
    failed: "The bank was not connected.",
    superseded: "You have begun to connect this bank again; that attempt goes on in its own window.",
    expired: "The time for this attempt is over."
  },
  unknownTitle: "This page is no longer valid",
  unknown: "It was made to connect a bank, and this server does not know it, or knows it no longer.",
  startAgain: "Go back to where you came from and start again.",
  faultTitle: "This did not work",
  fault: () => undefined
}

const de: Words = {
  lang: "de",
  connectTitle: (institution) => `${institution ?? "Bank"} verbinden`,
  reauthTitle: (bank) => `Bei ${bank} erneut anmelden`,
  asks: (workspace, provider) =>
    `${workspace} möchte Konten, Salden und Umsätze Ihrer Bank über ${provider} lesen. Es wird nur gelesen: Geld kann damit nicht bewegt werden.`,
  privacy: "Ihre Zugangsdaten gehen an die Bank und an den Anbieter, nie an diesen Server.",
  goOn: "Weiter",
  cancel: "Abbrechen",
  goBack: "Zurück",
  closeWindow: "Sie können dieses Fenster schließen.",
  tryAgain: "Erneut versuchen",
  goTo: (provider) => `Zu ${provider}`,
  widget: (provider) => `${provider} öffnet ein Fenster, in dem Sie Ihre Bank wählen und sich anmelden.`,
  needsScript: "Das Fenster des Anbieters braucht JavaScript, das in diesem Browser ausgeschaltet ist.",
  widgetAbsent: (provider) =>
    `Das Fenster von ${provider} konnte nicht geladen werden. Prüfen Sie Ihre Verbindung und ob eine Erweiterung Ihres Browsers es blockiert. Laden Sie diese Seite dann neu.`,
  frame: "Wählen Sie unten Ihre Bank und stimmen Sie zu.",
  portal: (provider) =>
    `Sie wählen Ihre Bank und melden sich auf einer Seite von ${provider} an. Danach kommen Sie hierher zurück.`,
  openProvider: (provider) => `${provider} in einem anderen Fenster öffnen`,
  makeToken: "Melden Sie sich dort an und erzeugen Sie ein neues Setup-Token.",
  pasteToken: "Fügen Sie das Token hier ein. Es gilt einmal.",
  tokenLabel: "Setup-Token",
  connect: "Verbinden",
  tokenMissing: "Fügen Sie das Setup-Token ein, das der Anbieter zeigt.",
  tokenRefused:
    "Der Anbieter nimmt dieses Setup-Token nicht an. Prüfen Sie, ob Sie es ganz kopiert haben, oder erzeugen Sie ein neues: Jedes gilt einmal.",
  returnedTitle: "Bank weiter verbinden?",
  returned: (provider) =>
    `Ihr Browser kommt von ${provider} zurück. Machen Sie weiter, wenn Sie dort gerade Ihre Bank verbunden haben. Sind Sie einem fremden Link gefolgt, schließen Sie dieses Fenster.`,
  choiceTitle: "Diese Bank ist schon verbunden",
  choice:
    "Melden Sie sich erneut an, wo sie darum bittet: Konten und alles Gelesene bleiben. Verbinden Sie eine weitere, wenn es um einen anderen Zugang bei derselben Bank geht.",
  choiceQuestion: "Welche meinen Sie?",
  asksAgain: "bittet um eine neue Anmeldung",
  another: "Ein anderer Zugang bei dieser Bank",
  doneTitle: "Ihre Bank ist verbunden",
  done: (bank) => `${bank ?? "Die Bank"} ist verbunden. Ihre Daten erscheinen mit dem nächsten Abgleich.`,
  workingTitle: "Ihre Konten werden gelesen",
  working: "Ihre Bank ist verbunden, und ihre Konten werden gelesen. Das dauert einige Sekunden.",
  cancelledTitle: "Sie haben abgebrochen, bevor die Bank verbunden war",
  cancelled: "Nichts wurde verbunden, und nichts wurde gelesen.",
  endedTitle: "Die Bank ist nicht verbunden",
  ended: {
    failed: "Die Bank wurde nicht verbunden.",
    superseded: "Sie haben diese Verbindung noch einmal begonnen; sie geht in ihrem eigenen Fenster weiter.",
    expired: "Die Zeit für diesen Versuch ist abgelaufen."
  },
  unknownTitle: "Diese Seite gilt nicht mehr",
  unknown: "Mit ihr sollte eine Bank verbunden werden. Dieser Server kennt sie nicht oder nicht mehr.",
  startAgain: "Gehen Sie dorthin zurück, wo Sie hergekommen sind, und beginnen Sie von vorn.",
  faultTitle: "Das hat nicht geklappt",
  fault: (code, bank) => {
    switch (code) {
      case "CONNECTION_CANCELLED":
        return "Sie haben bei der Bank oder beim Anbieter abgebrochen."
      case "INSTITUTION_MISMATCH":
        return `Sie haben sich bei einer anderen Bank angemeldet. Melden Sie sich bei ${bank ?? "der bisherigen Bank"} an, oder verbinden Sie die andere für sich.`
      case "PLAN_LIMIT_REACHED":
        return "In diesem Arbeitsbereich ist kein Platz für eine weitere Bank."
      case "PROVIDER_RATE_LIMITED":
      case "PROVIDER_UNAVAILABLE":
      case "INSTITUTION_UNAVAILABLE":
        return "Der Anbieter oder die Bank ist gerade nicht erreichbar. Versuchen Sie es in einigen Minuten noch einmal."
      default:
        return "Die Bank oder der Anbieter konnte die Verbindung nicht herstellen."
    }
  }
}

const fr: Words = {
  lang: "fr",
  connectTitle: (institution) => `Connecter ${institution ?? "votre banque"}`,
  reauthTitle: (bank) => `Se reconnecter à ${bank}`,
  asks: (workspace, provider) =>
    `${workspace} demande à lire les comptes, soldes et opérations de votre banque par ${provider}. L’accès est en lecture seule : aucun argent ne peut être déplacé.`,
  privacy: "Vos identifiants vont à la banque et au fournisseur, jamais à ce serveur.",
  goOn: "Continuer",
  cancel: "Annuler",
  goBack: "Retour",
  closeWindow: "Vous pouvez fermer cette fenêtre.",
  tryAgain: "Réessayer",
  goTo: (provider) => `Aller chez ${provider}`,
  widget: (provider) => `${provider} ouvre une fenêtre où vous choisissez votre banque et vous identifiez.`,
  needsScript: "La fenêtre du fournisseur a besoin de JavaScript, qui est désactivé dans ce navigateur.",
  widgetAbsent: (provider) =>
    `La fenêtre de ${provider} n’a pas pu être chargée. Vérifiez votre connexion et qu’aucune extension du navigateur ne la bloque, puis rechargez cette page.`,
  frame: "Choisissez votre banque ci-dessous et donnez votre accord.",
  portal: (provider) =>
    `Vous choisissez votre banque et vous identifiez sur une page de ${provider}, puis revenez ici.`,
  openProvider: (provider) => `Ouvrir ${provider} dans une autre fenêtre`,
  makeToken: "Identifiez-vous là-bas et créez un nouveau jeton de configuration.",
  pasteToken: "Collez le jeton ici. Il ne sert qu’une fois.",
  tokenLabel: "Jeton de configuration",
  connect: "Connecter",
  tokenMissing: "Collez le jeton de configuration que le fournisseur affiche.",
  tokenRefused:
    "Le fournisseur n’accepte pas ce jeton. Vérifiez que vous l’avez copié en entier, ou créez-en un nouveau : chacun ne sert qu’une fois.",
  returnedTitle: "Continuer la connexion de votre banque ?",
  returned: (provider) =>
    `Votre navigateur revient de ${provider}. Continuez si vous venez d’y connecter votre banque. Si vous avez suivi le lien de quelqu’un d’autre, fermez cette fenêtre.`,
  choiceTitle: "Cette banque est déjà connectée",
  choice:
    "Identifiez-vous de nouveau là où elle le demande : ses comptes et tout ce qui a été lu restent. Connectez-en une autre pour un autre accès à la même banque.",
  choiceQuestion: "Laquelle voulez-vous dire ?",
  asksAgain: "demande une nouvelle identification",
  another: "Un autre accès à cette banque",
  doneTitle: "Votre banque est connectée",
  done: (bank) => `${bank ?? "La banque"} est connectée. Ses données apparaîtront à la prochaine synchronisation.`,
  workingTitle: "Lecture de vos comptes",
  working: "Votre banque est connectée et ses comptes sont en cours de lecture. Cela prend quelques secondes.",
  cancelledTitle: "Vous avez arrêté avant la connexion de la banque",
  cancelled: "Rien n’a été connecté et rien n’a été lu.",
  endedTitle: "La banque n’est pas connectée",
  ended: {
    failed: "La banque n’a pas été connectée.",
    superseded: "Vous avez recommencé cette connexion ; elle continue dans sa propre fenêtre.",
    expired: "Le délai de cette tentative est écoulé."
  },
  unknownTitle: "Cette page n’est plus valable",
  unknown: "Elle devait servir à connecter une banque ; ce serveur ne la connaît pas, ou plus.",
  startAgain: "Retournez d’où vous venez et recommencez.",
  faultTitle: "Cela n’a pas fonctionné",
  fault: (code, bank) => {
    switch (code) {
      case "CONNECTION_CANCELLED":
        return "Vous avez arrêté chez la banque ou chez le fournisseur."
      case "INSTITUTION_MISMATCH":
        return `Vous vous êtes identifié auprès d’une autre banque. Identifiez-vous auprès de ${bank ?? "la même banque"}, ou connectez l’autre à part.`
      case "PLAN_LIMIT_REACHED":
        return "Cet espace n’a plus de place pour une autre banque."
      case "PROVIDER_RATE_LIMITED":
      case "PROVIDER_UNAVAILABLE":
      case "INSTITUTION_UNAVAILABLE":
        return "Le fournisseur ou la banque n’est pas joignable pour le moment. Réessayez dans quelques minutes."
      default:
        return "La banque ou le fournisseur n’a pas pu établir la connexion."
    }
  }
}

const languages: ReadonlyArray<Words> = [en, de, fr]

export const english = en

/** The language that a browser asks for first among those that are here (RFC 9110 12.5.4); English unless it is one. */
export const wordsFor = (acceptLanguage: string | undefined): Words => {
  const wanted = (acceptLanguage ?? "")
    .split(",", 50)
    .flatMap((part) => {
      const [tag = "", ...more] = part.split(";").map((text) => text.trim().toLowerCase())
      const quality = more.find((one) => one.startsWith("q="))
      const weight = quality === undefined ? 1 : Number(quality.slice(2))
      const words = languages.find(({ lang }) => tag === lang || tag.startsWith(`${lang}-`))
      return words === undefined || !(weight > 0) ? [] : [{ words, weight }]
    })
    .toSorted((a, b) => b.weight - a.weight)
  return wanted[0]?.words ?? en
}
