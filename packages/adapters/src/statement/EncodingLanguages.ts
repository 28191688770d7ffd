/** Languages of statement files: the tables that their letters are written in, and words that show how those letters are used. */

export interface EncodingLanguage {
  /** The likeliest first. */
  readonly tables: ReadonlyArray<string>
  /** Letters beyond ASCII in small form, the most frequent first. */
  readonly letters: string
  /** Everyday words of statements with such letters. */
  readonly words: string
  /** How much rarer its files are than others: added to the logarithm of the likelihood. */
  readonly prior?: number
}

const western = ["windows-1252", "macintosh", "iso-8859-15", "ibm850"]
const central = ["windows-1250", "iso-8859-2", "ibm852"]
const baltic = ["windows-1257", "iso-8859-13"]
const cyrillic = ["windows-1251", "koi8-u", "ibm866", "iso-8859-5", "x-mac-cyrillic"]

/** Languages whose letters fit in a byte each. */
export const languages: ReadonlyArray<EncodingLanguage> = [
  {
    tables: western,
    letters: "üäöß",
    words:
      "für über überweisung gebühr gebühren rückzahlung rückerstattung verfügbar münchen zürich köln müller bücher bürger zurück prüfung gültig übertrag küche kündigung ausführung empfänger wertpapierkäufe verkäufe bäckerei märz gehälter zuständig getränke ärzte äpfel länder hälfte beiträge erträge österreich öffentlich ähnlich änderung böhm möbel größe höhe löhne können hören lösung wöchentlich straße fußball spaß großhandel gruß weiß außen süd dänemark"
  },
  {
    tables: western,
    letters: "éèàêçôûâîùïëœüæ",
    words:
      "prélèvement débit crédit opération intérêts société épicerie électricité réservation téléphone café déjà dépôt échéance été année février décembre numéro référence émis général église après très père frère système près règle première dernière bière crème à là voilà prêt forêt fête août chèque reçu français façon garçon leçon ça hôtel impôts côté dû coût château pâtisserie âge boîte maître île où maïs noël naïve cœur sœur œuvre société générale bénéficiaire rémunération santé péage"
  },
  {
    tables: western,
    letters: "óíáéñúüªº¿¡",
    words:
      "operación comisión transacción domiciliación devolución nómina código teléfono depósito avión corazón situación compañía peluquería farmacia día tarjeta librería panadería policía país energía cafetería crédito débito médico éxito café inglés japonés cajero automático máximo página rápido sábado más está málaga garcía martínez gonzález españa año niño señor montaña baño número público único túnel música perú línea móvil vehículo río dólar lópez sólo álvarez maría código límite líquido"
  },
  {
    tables: western,
    letters: "ãçáéíóêõâúàôª",
    words:
      "não são operação cartão comissão transação prestação alimentação manhã irmã mão pão joão serviço preço março praça começo criança saldo disponível débito crédito salário cobrança farmácia água imóvel três mês você português inglês gêmeos operações cartões comissões transações milhões câmbio família possível município número público último à às avó avô ônibus telefônica código depósito médico saúde óculos índice índio líquido límpido colônia econômico binômio"
  },
  {
    tables: western,
    letters: "àèùòìé",
    words:
      "attività società città qualità università libertà pubblicità novità metà già là è caffè tè più giù perché poiché né può però ciò lunedì martedì mercoledì giovedì venerdì così sì lì virtù gioventù università disponibilità"
  },
  {
    tables: western,
    letters: "ëéïöüèê",
    words:
      "één coöperatie financiële officiële ideeën België geïnd geïncasseerd reünie privé café coördinatie zoë twee drieën knieën crème"
  },
  {
    tables: western,
    letters: "äöåéü",
    words:
      "överföring insättning lön räkning från betalning både också måndag lördag söndag köp försäkring hälsa kläder bränsle återbetalning årsavgift tjänst böter två på åt år så när här är även än skån största frånvaro tilläggs pääkaupunki sähkö käteisnosto maksettu yhtiö tilisiirto päivä määrä työ äiti öljy elämä syntymäpäivä lääkäri yö pöytä tämä hyvää myynti kesäkuu lämpö"
  },
  {
    tables: western,
    letters: "øåæéö",
    words:
      "overførsel lønoverførsel køb gebyr på første måned når år åben også lån køkken søndag lørdag købmand brød øl øst rejse æble læge mælk værdi næste forsæt sælger træ ære bærum tjæreborg større tømrer føtex kjøp lønn overføring forskjell også måned strøm sør hjørne går være nærbutikk grøn grå blå år håndværk næsten sæson hænder gæld fællesskab pænt vægt præmie plæne domæne mænd øre østre"
  },
  {
    tables: western,
    letters: "áíðéóúþæöý",
    words: "greiðsla millifærsla úttekt innborgun þjónusta íslandsbanki ársgjald köp það við með ísland þýskaland fæði",
    prior: -3
  },
  {
    tables: central,
    letters: "łąęóżśćńź",
    words:
      "opłata wpłata wypłata płatność własny złoty łódź główna usługa spółka sprzedaż należność środki ząbki książka proszę dziękuję będzie święto część wartość miejscowość ćwiczenia kraków wrocław gdańsk poznań toruń państwo szkoła żabka życie łącznie wynagrodzenie między następny męski odsetki koszyków przelewów rachunków numerów kartą blikiem tytułem pożyczka również późny źródło sierpień styczeń październik usługą stałe węgiel węzeł dzień tydzień jesień kamień pański męskie głęboki względem napój pokój córka góra wózek dóbr śnieg ośrodek prośba"
  },
  {
    tables: central,
    letters: "íáéěýřščžůúňťďóľôäĺŕ",
    words:
      "platba převod výběr poplatek příjem úrok účet účtu částka kč číslo zůstatek příchozí odchozí trvalý příkaz měsíc pondělí úterý středa čtvrtek pátek bratislava košice žilina prešov mzda vklad hotovosti město dům stůl můj své které není běžný český řeznictví řecko žádost životní zdravotní pojištění společnost dálniční plyn elektřina tržby ještě něco přítel díky děti kůň loď byť úhrada výška splátka poistné dovoz ľudia ôsmy mäso môj stravné vyúčtovanie školka české německo polsko košile naše většina dovolená dálnice kanceláře teď loďka starý nový malý číslu výška"
  },
  {
    tables: central,
    letters: "áéöóőüíúű",
    words:
      "átutalás készpénz jóváírás terhelés díj kamat számla közüzemi áruház élelmiszer üzletek gyógyszertár benzinkút időszak pénzfelvétel vásárlás kártyás bérlet jövedelem költség fizetés március szeptember október tőke erdő nő idő első belső gyűjtő tűz fűtés víz út húsz húsvét külföldi belföldi közlemény összeg könyvelés értéknap január péntek szerdán győr sződ űr műszaki egyszerű csütörtök hétfő vasárnap"
  },
  {
    tables: central,
    letters: "ăţşîâ",
    words:
      "plată plăţi încasare dobândă şi deţinător bucureşti iaşi timişoara braşov constanţa soldă cumpărături maşină casă după fără până numărul tranzacţie rată către bancă împrumut înapoi între român rămas sâmbătă târgu mureş câştig ţară viaţă preţ staţie poştă şcoală oraş faţă marţi septembrie românia franţa",
    prior: -1
  },
  {
    tables: central,
    letters: "čšžćđ",
    words:
      "plaća račun uplata isplata trošak naknada životno željeznice šibenik dubrovački županija đakovo kuće kući većina veći tržnica tekući građevinski mjesečna rođendan međunarodni što još više gdje već noć svježe četvrtak plačilo žagar šola čas že več položnica stroški ljubljanska mesečno srečno obračun češka španija mađarska njemačka turska švicarska četiri čaj član članarina čišćenje točka mačka trgovačka škola šport šećer štednja šuma šalter špageti boš još naš veš jež život već tržište naplaćeno ponuđač priključak ručak kolač",
    prior: -1
  },
  {
    tables: baltic,
    letters: "ėųžšįūčą",
    words:
      "mokėjimas įmoka sąskaita išmoka mokestis už grąžinimas pervedimas kortelė vaistinė parduotuvė degalinė žmonės šeima įskaitymas pinigų palūkanos būsto būti savaitė gruodžio rugsėjo žemė šiaulių čia ačiū atlyginimas prekė gavėjas mokėtojas paskirtis paslaugų įvairių laikų metų kainų eurų ąžuolas šalis tiltų švedija jūra būdas sūris rūmai krūva rūšis ūkis tūris vaikų darželis mėnuo mėsa lėktuvas čempionas česnakas čiužinys kūno įrašas penktadienis rugpjūtis čekis lietuvių"
  },
  {
    tables: baltic,
    letters: "āīēšūņļžķģč",
    words:
      "maksājums iemaksa izmaksa alga rīga rēķins par pārskaitījums saņēmējs veikals aptieka degviela saņemts kartē bankā pakalpojumi līgums īre ūdens šis tūkstotis viņš ņemt ļoti ķīmija ģimene mājas zīme nedēļa gads mēnesis latvijā vārds čeks žurnāls šķīrējs pirkums vidējā spēle kļūda ceļš latviešu svētki ielā plāns stāvoklis mājām kāzas valstīs tirdzniecība sabiedrība darbā ārsts labākais grāmata pārdošana dāvana vakariņas tāpat kāpēc pāris čaks čempions dzīvoklis veikalā"
  },
  {
    tables: baltic,
    letters: "äüõö",
    words:
      "kõik õppelaen tööandja väljamakse sünnipäev müük võlg söök päev hüvitis põhi lõpp makse küte täna jäätmed läti rõõm õpetaja hõbe kõne põllu tallinn tõlge võrk müüja",
    prior: -1
  },
  {
    tables: ["windows-1254"],
    letters: "ıüşçöğâ",
    words:
      "ödeme işlem ücret ücreti çekme yatırma kartı alışveriş maaş şubesi için giriş çıkış havalesi kredisi bankası doğalgaz sağlık eğitim şirketi öğrenci değer ışık kırmızı aylık yıllık nakit gönderilen alıcı açıklama tutarı bakiye üçüncü güncel özel yaşar ağustos çarşamba perşembe şubat türkiye sigortası faturası internet müşteri sanayi inşaat ticaret"
  },
  {
    tables: cyrillic,
    letters: "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    words:
      "оплата товаров перевод между счетами зарплата снятие наличных комиссия банка пополнение карты покупка магазин аптека возврат платеж за услуги связи интернет россия москва январь февраль мартовский апрель месяц проценты по вкладу кафе ресторан продукты такси метро квартира коммунальные электроэнергия газ вода общество ограниченной ответственностью зачисление списание получатель отправитель назначение это что как если время жизнь человек"
  },
  {
    tables: cyrillic,
    letters: "оанивітерсклудмпязьбгйчхцїжюєщшфґ",
    words:
      "оплата товарів переказ між рахунками зарплата зняття готівки комісія банку поповнення картки покупка магазин аптека повернення платіж за послуги зв'язку інтернет україна київ січень лютий березень квітень місяць відсотки за вкладом кав'ярня їжа його її своєї підприємство області є це що як якщо життя людина вулиця львів харків",
    prior: -1
  },
  {
    tables: cyrillic,
    letters: "аиоентрвслдкпмзяъгучбцжщхшюфйь",
    words:
      "плащане превод между сметки заплата теглене на пари в брой такса банка захранване карта покупка магазин аптека връщане услуга интернет българия софия януари февруари месец лихва по влог кафе ресторант хранителни стоки въвеждане съобщение първа вътрешен кредитен получател наредител основание също като ако живот човек пловдив варна",
    prior: -1
  },
  {
    tables: ["windows-1253", "iso-8859-7"],
    letters: "αοιετσνηυρπκμλςόωίγδάθχέφήβξύζώψϊϋ",
    words:
      "πληρωμή μεταφορά αγορά κατάθεση ανάληψη μετρητών προμήθεια τράπεζας μισθοδοσία τόκοι λογαριασμός κάρτα χρέωση πίστωση επιστροφή υπηρεσίες ενοίκιο ρεύμα νερό τηλέφωνο φαρμακείο εστιατόριο σούπερ μάρκετ ελλάδα αθήνα θεσσαλονίκη ιανουάριος φεβρουάριος και από για με στο της του την των είναι ζωή άνθρωπος εταιρεία ψώνια ξενοδοχείο"
  },
  {
    tables: ["windows-1255"],
    letters: "יוהלארתבשמנםכחדקעפטזצגסןףךץ",
    words:
      "תשלום העברה משכורת משיכת מזומן עמלה בנק הפקדה כרטיס קנייה חנות בית מרקחת החזר שירות ישראל תל אביב ירושלים ינואר ריבית מסעדה חשמל מים גז דואר ארנונה ביטוח",
    prior: -1
  },
  {
    tables: ["windows-1256"],
    letters: "اليمونرتبةعدسفهكقأحجشطصخىضإذزثئءغؤظآ",
    words:
      "دفع تحويل راتب سحب نقدي عمولة بنك إيداع بطاقة شراء متجر صيدلية استرداد خدمة السعودية القاهرة يناير فائدة مطعم كهرباء مياه حساب رصيد مبلغ الشركة",
    prior: -1
  }
]

/** Encodings of East Asia, of two bytes for most letters. */
export interface WideEncoding {
  readonly table: string
  /** Signs of syllables, and how many of them are in use. */
  readonly syllables?: readonly [pattern: RegExp, inUse: number]
  /** Lead and trail bytes of the characters that its standard calls frequent. */
  readonly frequent: readonly [fromLead: number, toLead: number, fromTrail: number]
  readonly prior?: number
}

const kana = [/[\u3040-\u30ff]/, 60] as const
const hangul = [
  /[가각간감강개거건검것게격견결경계고곡공과관광교구국군권그금급기김나남내년노농니다단달담당대더도독동되드든들등디라락란람래러레려련로록료루르른를름리마만말매면명모목무문물미민바박반방배백번법변병보복본부북분불비사산상생서석선성세소속송수순스습승시식신실심아안애양어업에여역연열영예오온올와완외요용우운울원월위유은을음의이익인일임입자작장재저적전점정제조종주준중즉지직진질집차참창천청체초총최추출치카크타태터테토통트특티파판포표품프필하학한할합해행현형호화환활회후]/,
  250
] as const

export const wideEncodings: ReadonlyArray<WideEncoding> = [
  { table: "shift_jis", syllables: kana, frequent: [0x88, 0x97, 0x40] },
  { table: "euc-jp", syllables: kana, frequent: [0xb0, 0xcf, 0xa1], prior: -1 },
  { table: "euc-kr", syllables: hangul, frequent: [0, 0, 0] },
  { table: "gbk", frequent: [0xb0, 0xd7, 0xa1] },
  { table: "big5", frequent: [0xa4, 0xc6, 0x40] }
]
