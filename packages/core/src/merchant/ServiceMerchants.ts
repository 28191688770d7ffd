/** Travel, transport, media, insurance and utilities: by category and country, in the form of `foodMerchants`. */

export const serviceMerchants = `
TRANSPORTATION_GAS
us: !Shell=shell/shell oil/shell service station, !BP=bp/bp products, Exxon=exxon/exxonmobil/exxon mobil, Mobil=mobil oil/mobil, Chevron=chevron, Texaco=texaco, Marathon=marathon petro/marathon, Sunoco=sunoco, Valero=valero, Conoco=conoco, Phillips 66=phillips 66, ARCO=arco ampm/arco, Citgo=citgo, Sinclair=sinclair oil, ChargePoint=chargepoint, Tesla Supercharger=tesla supercharger/tesla inc supercharger, Electrify America=electrify america, EVgo=evgo, Murphy USA=murphy usa/murphy express
gb: Esso=esso/esso tesco/mfg esso, Jet=jet petrol, Gulf=gulf petrol, Pod Point=pod point, BP Pulse=bp pulse, Applegreen=applegreen
de: Aral=aral/aral station/aral ag, JET Tankstelle=jet tankstelle/jet tankstellen, TotalEnergies=totalenergies/total service station/total energies/total, HEM Tankstelle=hem tankstelle, Star Tankstelle=star tankstelle, Agip=agip/eni agip, AVIA=avia tankstelle/avia, OMV=omv, EnBW mobility+=enbw mobility, Ionity=ionity, Westfalen Tankstelle=westfalen ag
fr: TotalEnergies Access=total access/totalenergies access/relais total, Esso Express=esso express, Avia France=avia france
it: Eni Station=eni station/eni spa, Q8=q8/q8 easy, IP Stazioni=ip gruppo api
es: Repsol=repsol, Cepsa=cepsa/moeve, Galp=galp, Ballenoil=ballenoil, Plenoil=plenoil
nl: Tinq=tinq, Tango=tango tankstation, Fastned=fastned, Shell Recharge=shell recharge, Allego=allego
se: Circle K Sverige=circle k sverige, OKQ8=okq8, Preem=preem, St1=st1, Ingo=ingo tank
no: Uno-X=uno x, YX=yx norge
pl: Orlen=orlen/pkn orlen/stacja orlen, Lotos=lotos stacja, Moya=moya stacja
ca: Petro-Canada=petro canada/petrocanada, Husky=husky oil, Ultramar=ultramar, Esso Canada=esso circle k
au: Ampol=ampol/eg ampol, Caltex=caltex, United Petroleum=united petroleum, 7-Eleven Australia=7 eleven australia, BP Australia=bp australia
nz: Z Energy=z energy, Gull=gull petroleum
TRANSPORTATION_PUBLIC_TRANSIT
us: MTA=mta nyct/mta metrocard/mta omny/mta, BART=bart clipper/bart, Clipper=clipper systems/clipper, Ventra=ventra, CTA=chicago transit, WMATA=wmata/wmata smartrip/washington metro, MBTA=mbta, SEPTA=septa, LA Metro=la metro/tap la, NJ Transit=nj transit/njt, Amtrak=amtrak/amtrak com, Greyhound=greyhound, Metra=metra, Caltrain=caltrain, TriMet=trimet
gb: Transport for London=tfl travel/tfl travel ch/tfl travel charge/transport for london/tfl, Trainline=trainline/trainline com/the trainline, LNER=lner, GWR=gwr/great western railway, Avanti West Coast=avanti west coast, Northern Rail=northern rail/northern trains, ScotRail=scotrail, Southeastern=southeastern railway/southeastern, South Western Railway=south western railway/south western rail, Thameslink=thameslink/govia thameslink, National Express=national express, Stagecoach=stagecoach, Arriva=arriva, First Bus=first bus, TransPennine Express=transpennine express, Megabus=megabus, National Rail=national rail
de: Deutsche Bahn=deutsche bahn/db vertrieb/db vertrieb gmbh/db fernverkehr/bahn de/db bahn, BVG=bvg/berliner verkehrsbetriebe, MVG=mvg munchen/munchner verkehrsgesellschaft/mvg, HVV=hvv/hamburger hochbahn, VBB=vbb, RMV=rmv, KVB=kvb koln, VRR=vrr, FlixBus=flixbus/flix se/flixtrain, SSB=ssb stuttgart
fr: SNCF=sncf/sncf connect/sncf voyageurs/sncf internet, RATP=ratp/navigo/service navigo, Ouigo=ouigo, TCL Lyon=tcl lyon, Tisseo=tisseo, BlaBlaCar=blablacar/comuto, Ile-de-France Mobilites=ile de france mobilites/comutitres
es: Renfe=renfe/renfe viajeros, Metro de Madrid=metro de madrid/metro madrid, TMB=tmb barcelona/tmb, EMT Madrid=emt madrid, ALSA=alsa, Iryo=iryo, Ouigo Espana=ouigo espana
it: Trenitalia=trenitalia, Italo=italo treno/italo ntv/italo, ATM Milano=atm milano, ATAC Roma=atac/atac roma, Trenord=trenord
nl: NS=ns groep/ns reizigers/ns, GVB=gvb, RET=ret rotterdam, HTM=htm personenvervoer, OV-chipkaart=ov chipkaart/ovpay/nlov, Arriva Nederland=arriva nederland
be: NMBS SNCB=nmbs/sncb/nmbs sncb, De Lijn=de lijn, STIB=stib mivb/stib, Eurostar=eurostar/eurostar international/thalys
ch: SBB=sbb/sbb cff ffs/sbb mobile, ZVV=zvv, VBZ=vbz, BLS=bls ag, PostAuto=postauto
at: OBB=obb/obb personenverkehr, Wiener Linien=wiener linien, WestBahn=westbahn
se: SJ=sj ab/sj, SL=storstockholms lokaltrafik/sl app, Vasttrafik=vasttrafik, Skanetrafiken=skanetrafiken
no: Vy=vy app/vygruppen/vy, Ruter=ruter, Entur=entur
dk: DSB=dsb, Rejsekort=rejsekort, Movia=movia
fi: VR=vr matkapalvelut/vr yhtyma, HSL=hsl mobiili/hsl
pl: PKP Intercity=pkp intercity, Koleje Mazowieckie=koleje mazowieckie, Jakdojade=jakdojade, ZTM=ztm warszawa
cz: Ceske drahy=ceske drahy, DPP=dpp praha, RegioJet=regiojet
ie: Irish Rail=irish rail/iarnrod eireann, Leap Card=leap card, Dublin Bus=dublin bus, Bus Eireann=bus eireann
ca: Presto=presto/presto fare/presto mobl, TTC=ttc toronto, STM=stm montreal, TransLink=translink/compass card, VIA Rail=via rail, GO Transit=go transit
au: Opal=transport for nsw/transportfornsw/opal travel/tfnsw opal, Myki=myki/public transport victoria, Translink Queensland=translink go card, V/Line=v line
TRANSPORTATION_TAXIS
us: Uber=uber/uber trip/uber bv/uber b v/uber technologies/uber help, Lyft=lyft/lyft ride/lyft rides, Via=via transportation, Curb=curb mobility/curb svc
gb: Addison Lee=addison lee, Gett=gett
de: FreeNow=freenow/free now/mytaxi, Bolt=bolt eu/bolt/bolt operations, MOIA=moia
es: Cabify=cabify, Freenow Espana=freenow es
fr: G7=g7 taxis/taxi g7, Heetch=heetch
ca: Beck Taxi=beck taxi
au: DiDi=didi mobility/didi, 13cabs=13cabs, Ola=ola cabs
sg: Grab=grab/grab holdings/grabpay, Gojek=gojek
TRANSPORTATION_PARKING
us: ParkMobile=parkmobile, SpotHero=spothero, PayByPhone=paybyphone, LAZ Parking=laz parking
gb: RingGo=ringgo/ringgo parking, JustPark=justpark, NCP=ncp/ncp limited/national car parks, APCOA=apcoa/apcoa parking, Q-Park=q park, YourParkingSpace=yourparkingspace
de: EasyPark=easypark, Contipark=contipark, ParkNow=parknow, Goldbeck Parking=goldbeck parking
fr: Indigo=indigo parc/indigo infra, Effia=effia, Saemes=saemes, Flowbird=flowbird
au: Wilson Parking=wilson parking, Secure Parking=secure parking
TRANSPORTATION_TOLLS
us: E-ZPass=e zpass/ezpass/e z pass, FasTrak=fastrak/bay area fastrak, SunPass=sunpass, TxTag=txtag, Peach Pass=peach pass, I-PASS=i pass/illinois tollway
fr: Vinci Autoroutes=vinci autoroutes/asf/cofiroute/escota, APRR=aprr, Sanef=sanef, Ulys=ulys, Bip&Go=bip&go/bip & go
it: Telepass=telepass, Autostrade per l'Italia=autostrade per l'italia/autostrade
at: ASFINAG=asfinag
pt: Via Verde=via verde
au: Linkt=linkt, E-Toll=e toll/etoll
TRANSPORTATION_BIKES
us: Citi Bike=citi bike/citibike, Lime=lime ride/limebike/lime, Bird=bird ride/bird app, Divvy=divvy bikes
gb: Santander Cycles=santander cycles, Voi=voi technology/voi
de: nextbike=nextbike, TIER=tier mobility, Swapfiets=swapfiets, Miles=miles mobility, ShareNow=share now/sharenow, Sixt Share=sixt share, Donkey Republic=donkey republic
fr: Velib=velib/velib metropole/smovengo, Dott=dott
TRAVEL_FLIGHTS
us: Delta Air Lines=delta/delta air/delta air lines/delta airlines, United Airlines=united airlines/united, American Airlines=american airlines/american air/aa com, Southwest Airlines=southwest airlines/southwes/southwest, JetBlue=jetblue/jetblue airways, Alaska Airlines=alaska air/alaska airlines, Spirit Airlines=spirit airlines/spirit airl, Frontier Airlines=frontier airlines/frontier airli, Hawaiian Airlines=hawaiian air/hawaiian airlines
gb: British Airways=british airways/british a, easyJet=easyjet/easyjet com, Jet2=jet2/jet2 com, Virgin Atlantic=virgin atlantic/virgin atl, Loganair
de: Lufthansa=lufthansa/deutsche lufthansa, Eurowings=eurowings, Condor=condor flugdienst/condor
ie: Ryanair=ryanair/ryanair dac, Aer Lingus=aer lingus
fr: Air France=air france/airfrance, Transavia=transavia, Air Caraibes=air caraibes
es: Iberia=iberia/iberia lineas aereas, Vueling=vueling/vueling airlines, Air Europa=air europa, Volotea=volotea, Iberia Express=iberia express
nl: KLM=klm/klm royal dutch
hu: Wizz Air=wizz air/wizzair
ch: Swiss=swiss international/swiss air lines
pt: TAP Air Portugal=tap air portugal/tap portugal
se: SAS=sas airlines/scandinavian airlines, Norwegian=norwegian air/norwegian air shuttle
fi: Finnair=finnair
tr: Turkish Airlines=turkish airlines/turkish air, Pegasus=pegasus airlines/pegasus hava
ae: Emirates=emirates airline/emirates airlines/emirates, Etihad=etihad airways/etihad, Qatar Airways=qatar airways
sg: Singapore Airlines=singapore airlines/singapore air
jp: ANA=all nippon airways, Japan Airlines=japan airlines
ca: Air Canada=air canada, WestJet=westjet, Porter Airlines=porter airlines
au: Qantas=qantas/qantas airways, Virgin Australia=virgin australia, Jetstar=jetstar
nz: Air New Zealand=air new zealand
TRAVEL_LODGING
us: Airbnb=airbnb/airbnb payments/airbnb inc, Marriott=marriott/courtyard by marriott/residence inn/fairfield inn/springhill suites, Hilton=hilton/hilton hotels/hampton inn/doubletree/embassy suites/hilton garden inn, Hyatt=hyatt/hyatt place/hyatt regency, Holiday Inn=holiday inn/holiday inn express, Best Western=best western, Motel 6=motel 6, Super 8=super 8, Sheraton=sheraton, Westin=westin, Vrbo=vrbo/homeaway, La Quinta=la quinta/la quinta inn, Days Inn=days inn, Comfort Inn=comfort inn/comfort suites, Hostelworld=hostelworld, KOA=koa campground
gb: Premier Inn=premier inn, Travelodge=travelodge, Center Parcs=center parcs, YHA=yha england
de: Motel One=motel one, A&O Hostel=a&o hotels/a & o hostels, Maritim=maritim hotel, DJH=djh jugendherberge/jugendherberge
fr: Ibis=ibis/ibis hotel/ibis budget, Accor=accor/accorhotels/accor hotels, Novotel=novotel, Mercure=mercure hotel, Campanile=campanile hotel, B&B Hotels=b&b hotel/b&b hotels/b & b hotels, Pierre & Vacances=pierre & vacances/pierre et vacances, F1 Hotel=hotel f1/hotelf1, Kyriad=kyriad
es: NH Hotels=nh hotel/nh hotels/nh hoteles, Melia=melia hotels/melia, Barcelo=barcelo hotel, Paradores=paradores
se: Scandic=scandic/scandic hotels, Nordic Choice=nordic choice/strawberry hotels
TRAVEL_RENTAL_CARS
us: Hertz=hertz/hertz rent a car, Enterprise=enterprise rent/enterprise rent a car, Avis=avis/avis rent a car, Budget Rent a Car=budget rent a car/budget rent, National Car Rental=national car rental, Alamo=alamo rent a car, Zipcar=zipcar/zipcar trip, Turo=turo/turo inc, U-Haul=u haul/uhaul, Dollar Rent A Car=dollar rac/dollar rent a car, Thrifty=thrifty car rental
gb: Enterprise Car Club=enterprise car club
de: Sixt=sixt/sixt gmbh, Europcar=europcar, Buchbinder=buchbinder
fr: Getaround=getaround/drivy, Ada=ada location, Rent A Car=rent a car france
it: Maggiore=maggiore rent
TRAVEL_AGENCIES
us: Booking.com=booking com/bookingcom/hotel at booking com, Expedia=expedia/expedia com, Priceline=priceline/priceline com, Hotels.com=hotels com, Kayak=kayak com, Tripadvisor=tripadvisor, Hopper=hopper inc, Viator=viator, GetYourGuide=getyourguide, Carnival Cruise=carnival cruise, Royal Caribbean=royal caribbean
gb: Tui=tui/tui uk/tui deutschland/tui ag, Skyscanner=skyscanner, Lastminute=lastminute com/lastminute, On the Beach=on the beach, Loveholidays=loveholidays, Thomas Cook=thomas cook
de: Check24=check24/check24 vergleichsportal, HolidayCheck=holidaycheck, DER Touristik=der touristik, AIDA Cruises=aida cruises
fr: Voyage Prive=voyage prive, Opodo=opodo, Club Med=club med
es: eDreams=edreams, Logitravel=logitravel, Viajes El Corte Ingles=viajes el corte ingles
jp: Agoda=agoda/agoda com, Trip.com=trip com
ENTERTAINMENT_TV_AND_MOVIES
us: Netflix=netflix/netflix com/netflix international, Disney Plus=disney plus/disneyplus/disney+, Hulu=hulu, HBO Max=hbo max/hbomax/max com, Amazon Prime Video=prime video/amazon prime video/amazon video/amzn prime video, Amazon Prime=amazon prime/amzn prime/prime membership, Paramount+=paramount+/paramount plus/paramountplus, Peacock=peacock tv/peacock, Apple TV+=apple tv, YouTube Premium=youtube premium/google youtube/youtubepremium/youtube, YouTube TV=youtube tv/google youtube tv, AMC Theatres=amc theatres/amc online/amc, Regal Cinemas=regal cinemas/regal, Cinemark=cinemark, Fandango=fandango, Sling TV=sling tv, Crunchyroll=crunchyroll, ESPN+=espn plus/espn+, DirecTV=directv, Dish Network=dish network
gb: Odeon=odeon/odeon cinemas, Cineworld=cineworld, Vue Cinemas=vue cinemas/vue, Now TV=now tv/nowtv, TV Licence=tv licence/tv licensing/tv licence mbp, BritBox=britbox, Everyman Cinemas=everyman
de: Rundfunkbeitrag=rundfunkbeitrag/rundfunk ard zdf dradio/ard zdf dradio beitragsservice/rundfunk ard, DAZN=dazn/dazn limited, Sky Deutschland=sky deutschland/sky osterreich, WOW TV=wow tv, Joyn=joyn, UCI Kinowelt=uci kinowelt, CineStar=cinestar, CinemaxX=cinemaxx
fr: Canal Plus=canal plus/groupe canal, UGC=ugc cine/ugc, Pathe=pathe cinema/pathe, MK2=mk2, Gaumont=gaumont, Molotov=molotov tv
es: Movistar Plus=movistar plus, Filmin=filmin, Cinesa=cinesa, Yelmo Cines=yelmo cines
nl: Videoland=videoland, Pathe Nederland=pathe nederland, Ziggo Sport=ziggo sport
se: Viaplay=viaplay, Filmstaden=filmstaden, TV4 Play=tv4 play
au: Stan=stan entertainment/stan com au, Foxtel=foxtel, Kayo=kayo sports, Binge=binge tv, Hoyts=hoyts, Event Cinemas=event cinemas
ENTERTAINMENT_MUSIC_AND_AUDIO
us: Spotify=spotify/spotify usa/spotify ab/spotify uk/spotify p/spotify premium, Apple Music=apple music, Tidal=tidal music/tidal, Pandora=pandora, SiriusXM=siriusxm/sirius xm/siriusxm com, Audible=audible/audible us/audible uk/audible gmbh/audible ltd, SoundCloud=soundcloud, Guitar Center=guitar center, Ticketmaster=ticketmaster, Live Nation=live nation, StubHub=stubhub, SeatGeek=seatgeek, Eventbrite=eventbrite, AXS=axs tickets
fr: Deezer=deezer, Qobuz=qobuz
de: Thomann=thomann, Eventim=eventim/cts eventim
ENTERTAINMENT_VIDEO_GAMES
us: Steam=steam/steam games/steampowered/steamgames com/valve steam, PlayStation=playstation/playstation network/playstationnetwork/sony playstation, Xbox=xbox/microsoft xbox/xbox game pass, Nintendo=nintendo/nintendo eshop/nintendo america, Epic Games=epic games, Roblox=roblox/roblox com, Blizzard=blizzard entertainment/blizzard, Electronic Arts=ea com/electronic arts, Riot Games=riot games/riot, Twitch=twitch interactive/twitch, Discord=discord nitro/discord
gb: GAME=game retail
ENTERTAINMENT_GAMBLING
us: DraftKings=draftkings, FanDuel=fanduel, BetMGM=betmgm
gb: William Hill=william hill, Paddy Power=paddy power, Ladbrokes=ladbrokes, Sky Bet=sky bet, National Lottery=national lottery/lottery co uk, Betfair=betfair, Coral=coral interactive
de: Tipico=tipico, Lotto24=lotto24, Aktion Mensch=aktion mensch, Bwin=bwin
fr: FDJ=fdj/francaise des jeux, PMU=pmu, Winamax=winamax, Betclic=betclic, Unibet=unibet
se: Svenska Spel=svenska spel, ATG=atg se
au: Sportsbet=sportsbet, TAB=tab com au
ENTERTAINMENT_EVENTS
us: Disneyland=disneyland/walt disney world/disney parks, Six Flags=six flags, Universal Studios=universal studios/universal orlando, Topgolf=topgolf, Dave & Buster's=dave & busters/dave & buster s, Bowlero=bowlero, SeaWorld=seaworld
gb: National Trust=national trust, English Heritage=english heritage, Merlin Entertainments=merlin entertainments/merlin attractions, Alton Towers=alton towers
de: Europa-Park=europa park, Phantasialand=phantasialand
fr: Disneyland Paris=disneyland paris/euro disney, Parc Asterix=parc asterix, Puy du Fou=puy du fou
ENTERTAINMENT_BOOKS_AND_NEWS
us: New York Times=new york times/nytimes/nyt, Washington Post=washington post/washpost, Wall Street Journal=wall street journal/wsj/d j wsj, Medium=medium com/medium monthly, Substack=substack, Patreon=patreon/patreon membership, Kindle=kindle unltd/kindle svcs/kindle unlimited, The Athletic=the athletic, Scribd=scribd, Bloomberg=bloomberg lp
gb: The Guardian=the guardian/guardian news, The Times=the times/news uk, The Economist=economist newspaper/the economist, Financial Times=financial times/ft com
de: Spiegel=spiegel verlag/spiegel, Zeit=zeit verlag/die zeit, FAZ=frankfurter allgemeine/faz, Suddeutsche Zeitung=suddeutsche zeitung/suddeutsche
fr: Le Monde=le monde/societe editrice du monde, Le Figaro=le figaro, Mediapart=mediapart, L'Equipe=l'equipe/lequipe
es: El Pais=el pais/ediciones el pais
nl: NRC=nrc media, DPG Media=dpg media
SERVICES_SOFTWARE
us: Apple=apple com bill/apple com/itunes/itunes com bill/apple services/apple itunes, Google=google/google one/google storage/google play/google services/google cloud/google workspace/google gsuite, Microsoft=microsoft/microsoft 365/microsoft office/msbill/msft/microsoft store, Adobe=adobe/adobe systems/adobe creative cloud, Dropbox=dropbox, GitHub=github/github inc, OpenAI=openai/openai chatgpt/chatgpt subscription/chatgpt, Anthropic=anthropic/claude ai, Zoom=zoom us/zoom com/zoom video, Slack=slack technologies/slack, Notion=notion labs/notion, Canva=canva/canva pty, Atlassian=atlassian, Amazon Web Services=amazon web services/aws/aws emea, DigitalOcean=digitalocean, Cloudflare=cloudflare, Namecheap=namecheap, GoDaddy=godaddy/dnh godaddy, Squarespace=squarespace, Shopify=shopify subscription/shopify inc, Mailchimp=mailchimp/intuit mailchimp, QuickBooks=quickbooks/intuit quickbooks/intuit qbooks, Intuit=intuit turbotax/turbotax, LinkedIn=linkedin/linkedin premium/linkedin pre, Evernote=evernote, 1Password=1password/agilebits, LastPass=lastpass, NordVPN=nordvpn/nord vpn, ExpressVPN=expressvpn, Figma=figma, Heroku=heroku, Vercel=vercel, Linode=linode/akamai linode, Twilio=twilio, SendGrid=sendgrid, HubSpot=hubspot, Salesforce=salesforce, Asana=asana com, Grammarly=grammarly, Duolingo=duolingo, Tinder=tinder/tinder com, Bumble=bumble, Hinge=hinge, Norton=norton/nortonlifelock, McAfee=mcafee, Wix=wix com, Calendly=calendly, YNAB=ynab/youneedabudget, Ring=ring com/ring yearly, Strava=strava, Headspace=headspace, Calm=calm com
gb: Xero=xero uk/xero, FreeAgent=freeagent, Ancestry=ancestry co uk/ancestry com/ancestry
de: IONOS=ionos/1&1 ionos/ionos se, Hetzner=hetzner online/hetzner, Strato=strato ag/strato, Lexware=lexware/lexoffice, DATEV=datev, Parship=parship, ElitePartner=elitepartner, Netcup=netcup, All-Inkl=all inkl
fr: OVH=ovh/ovhcloud/ovh sas, Gandi=gandi
nl: TransIP=transip
SERVICES_INSURANCE
us: GEICO=geico/geico auto, State Farm=state farm/state farm ro, Progressive=progressive/progressive ins/prog direct ins, Allstate=allstate/allstate ins, USAA=usaa insurance/usaa p&c, Liberty Mutual=liberty mutual, Farmers Insurance=farmers ins/farmers insurance, Nationwide Insurance=nationwide insurance, MetLife=metlife, Travelers=travelers ins, Lemonade=lemonade insurance/lemonade, Blue Cross Blue Shield=blue cross/blue cross blue shield/bcbs/anthem blue cross, UnitedHealthcare=unitedhealthcare/united healthcare, Aetna=aetna, Cigna=cigna, Kaiser Permanente=kaiser/kaiser permanente/kaiser foundation, Humana=humana, Root Insurance=root insurance, The Hartford=the hartford, New York Life=new york life, Northwestern Mutual=northwestern mutual, Prudential=prudential ins/prudential
gb: Aviva=aviva, Admiral=admiral insurance/admiral, Direct Line=direct line/u k insurance, Churchill=churchill insurance, LV=liverpool victoria/lv insurance, AXA=axa/axa versicherung/axa assurances/axa france, Bupa=bupa/bupa insurance, Hastings Direct=hastings direct/hastings, Vitality=vitality health/vitality life, More Than=more than insurance, Petplan=petplan/allianz petplan, Legal & General=legal & general, Zurich=zurich insurance/zurich versicherung/zurich assurance, RAC=rac motoring/rac insurance, The AA=the aa/aa membership, esure=esure
de: Allianz=allianz/allianz versicherung/allianz versicherungs ag/allianz lebensversicherung, HUK-COBURG=huk coburg/huk24, Techniker Krankenkasse=techniker krankenkasse/tk beitrag, AOK=aok/aok bayern/aok plus/aok nordost, Barmer=barmer, DAK=dak gesundheit/dak, ERGO=ergo/ergo versicherung/ergo direkt, HDI=hdi/hdi versicherung, DEVK=devk, Debeka=debeka, R+V=r+v/r v versicherung/r+v allgemeine, Signal Iduna=signal iduna, Gothaer=gothaer, Generali=generali/generali deutschland/generali france, Provinzial=provinzial, LVM=lvm versicherung, VGH=vgh, WGV=wgv, CosmosDirekt=cosmosdirekt/cosmos direkt, ADAC=adac/adac e v, Hanse Merkur=hansemerkur/hanse merkur, Getsafe=getsafe, Wefox=wefox, Clark=clark versicherung
fr: MAIF=maif, MACIF=macif, MAAF=maaf, MMA=mma iard, Groupama=groupama, GMF=gmf assurances/gmf, Matmut=matmut, MGEN=mgen, Harmonie Mutuelle=harmonie mutuelle, Alan=alan assurance/alan sa, Luko=luko, Direct Assurance=direct assurance, AG2R La Mondiale=ag2r la mondiale/ag2r, CNP Assurances=cnp assurances, Malakoff Humanis=malakoff humanis
es: Mapfre=mapfre, Mutua Madrilena=mutua madrilena, Sanitas=sanitas, Adeslas=adeslas/segurcaixa adeslas, Linea Directa=linea directa, Asisa=asisa, Ocaso=ocaso, Santalucia=santalucia/santa lucia seguros
it: UnipolSai=unipolsai/unipol, Generali Italia=generali italia, Reale Mutua=reale mutua, Prima Assicurazioni=prima assicurazioni, Genertel=genertel
nl: Zilveren Kruis=zilveren kruis, VGZ=vgz, CZ=cz zorgverzekering/cz groep, Menzis=menzis, Centraal Beheer=centraal beheer, Nationale-Nederlanden=nationale nederlanden, Interpolis=interpolis, Ohra=ohra, Unive=unive, ASR=asr verzekeringen/a s r, FBTO=fbto, Ditzo=ditzo
ch: Mobiliar=die mobiliar/mobiliar, CSS=css versicherung, Helsana=helsana, Swica=swica, Sanitas Schweiz=sanitas krankenversicherung, Helvetia=helvetia
se: Folksam=folksam, If=if skadeforsakring, Trygg-Hansa=trygg hansa, Lansforsakringar=lansforsakringar, Hedvig=hedvig
pl: PZU=pzu, Warta=warta
ca: Manulife=manulife, Sun Life=sun life, Intact=intact insurance, Desjardins Insurance=desjardins insurance, TD Insurance=td insurance
au: NRMA=nrma insurance, AAMI=aami, Medibank=medibank, Suncorp Insurance=suncorp insurance, Bupa Australia=bupa australia, Budget Direct=budget direct, RACV=racv, HCF=hcf, nib=nib health
SERVICES_EDUCATION
us: Coursera=coursera, Udemy=udemy, Navient=navient, Skillshare=skillshare, MasterClass=masterclass, Chegg=chegg, Pluralsight=pluralsight
gb: Open University=open university, Student Loans Company=student loans company
de: Babbel=babbel/lesson nine, Fernuni Hagen=fernuniversitat hagen
SERVICES_POSTAGE
us: USPS=usps/usps po/us postal service/usps com, UPS=ups/ups store/the ups store, FedEx=fedex/fedex office, Stamps.com=stamps com
gb: Royal Mail=royal mail/royal mail group, Post Office=post office counter/post office ltd, Evri=evri/hermes parcel, DPD=dpd/dpd local
de: Deutsche Post=deutsche post/deutsche post ag, DHL=dhl/dhl paket/dhl express, Hermes=hermes germany/hermes versand, GLS=gls germany
fr: La Poste=la poste/laposte/colissimo, Mondial Relay=mondial relay, Chronopost=chronopost
es: Correos=correos/correos express, SEUR=seur
it: Poste Italiane=poste italiane
nl: PostNL=postnl
ch: Die Schweizerische Post=die schweizerische post/post ch
se: PostNord=postnord
pl: InPost=inpost, Poczta Polska=poczta polska
ca: Canada Post=canada post
au: Australia Post=australia post/auspost
SERVICES_STORAGE
us: Public Storage=public storage, Extra Space Storage=extra space, CubeSmart=cubesmart, Life Storage=life storage
gb: Big Yellow=big yellow/big yellow self storage, Safestore=safestore, Shurgard=shurgard
SERVICES_AUTOMOTIVE
us: AutoZone=autozone, O'Reilly Auto Parts=o'reilly auto/oreilly auto/o reilly auto, Advance Auto Parts=advance auto parts/advance auto, NAPA=napa auto/napa auto parts, Jiffy Lube=jiffy lube, Discount Tire=discount tire, Firestone=firestone/firestone complete, Pep Boys=pep boys, Valvoline=valvoline, Midas=midas auto, Goodyear=goodyear auto, Meineke=meineke, AAA=aaa membership/aaa auto, CarMax=carmax, Mister Car Wash=mister car wash
gb: Kwik Fit=kwik fit, ATS Euromaster=ats euromaster, National Tyres=national tyres
de: ATU=atu/a t u auto/auto teile unger, Mr Wash=mr wash, Euromaster=euromaster, Pitstop=pitstop, Autodoc=autodoc, kfzteile24=kfzteile24, DEKRA=dekra, Bosch Car Service=bosch car service
fr: Norauto=norauto, Feu Vert=feu vert, Midas France=midas france, Speedy=speedy france, Oscaro=oscaro
SERVICES_ADVERTISING
us: Google Ads=google ads/google adwords, Meta=facebk/facebook ads/facebook/meta platforms/meta ads, Microsoft Advertising=microsoft ads/microsoft advertising, Yelp=yelp, Indeed=indeed/indeed jobs
RENT_AND_UTILITIES_TELEPHONE
us: Verizon=verizon/verizon wireless/vzwrlss/vz wireless, AT&T=at&t/att/at t/at&t mobility/att bill, T-Mobile=t mobile/tmobile/t mobile postpaid, Mint Mobile=mint mobile, Cricket Wireless=cricket wireless, Boost Mobile=boost mobile, Google Fi=google fi/google project fi, Metro by T-Mobile=metro by t mobile/metropcs, Visible=visible wireless, US Cellular=us cellular, Twilio Phone=twilio phone, Straight Talk=straight talk
gb: EE=ee limited/ee & t mobile/ee ltd, O2=o2/o2 uk/telefonica uk/telefonica germany/o2 online, Vodafone=vodafone/vodafone ltd/vodafone gmbh/vodafone italia, Three=h3g/three/hutchison 3g/three uk, giffgaff=giffgaff, Tesco Mobile=tesco mobile, Voxi=voxi, Lebara=lebara, iD Mobile=id mobile, Smarty=smarty
de: Telekom=telekom deutschland/telekom/deutsche telekom/telekom deutschland gmbh, congstar=congstar, Aldi Talk=aldi talk/e plus service, Drillisch=drillisch/drillisch online, freenet=freenet/mobilcom debitel/freenet dls, winSIM=winsim, simyo=simyo, 1&1=1&1/1&1 telecom/1u1 telecom, klarmobil=klarmobil, Fraenk=fraenk
fr: Orange=orange/orange sa/orange france, SFR=sfr/red by sfr/red sfr, Bouygues Telecom=bouygues telecom/b&you/bouygues, Free Mobile=free mobile/free/free telecom, Sosh=sosh, Prixtel=prixtel, NRJ Mobile=nrj mobile, La Poste Mobile=la poste mobile
es: Movistar=movistar/telefonica de espana/telefonica moviles, Yoigo=yoigo/xfera moviles, Orange Espana=orange espagne/orange espana, Pepephone=pepephone, MasMovil=masmovil, Digi=digi spain/digi spain telecom, Lowi=lowi, Simyo Espana=simyo es
it: TIM=tim/telecom italia, Iliad=iliad/iliad italia, WindTre=windtre/wind tre, Fastweb=fastweb, Ho Mobile=ho mobile, Kena Mobile=kena mobile, PosteMobile=postemobile
nl: KPN=kpn/kpn b v, Odido=odido/t mobile netherlands, Simpel=simpel, Ben=ben nl, Vodafone Ziggo=vodafoneziggo/vodafone libertel, Youfone=youfone, hollandsnieuwe=hollandsnieuwe, Lebara NL=lebara nl
be: Proximus=proximus, Orange Belgium=orange belgium, Telenet=telenet, Base=base telenet, Scarlet=scarlet belgium, Mobile Vikings=mobile vikings
ch: Swisscom=swisscom, Sunrise=sunrise/sunrise upc, Salt=salt mobile, Wingo=wingo, Yallo=yallo
at: A1=a1 telekom/a1 telekom austria, Magenta=magenta telekom, Drei=hutchison drei/drei austria, spusu=spusu, HoT=hot telekom
se: Telia=telia/telia sverige, Tele2=tele2/tele2 sverige, Telenor=telenor/telenor sverige/telenor norge, Tre=hi3g access/tre se, Halebop=halebop, Comviq=comviq
no: Ice=ice communication, Talkmore=talkmore, OneCall=onecall
dk: TDC=tdc/yousee, 3 Danmark=3 danmark, CBB Mobil=cbb mobil, Oister=oister
fi: Elisa=elisa oyj/elisa, DNA=dna oyj
pl: Play=p4 play/play p4, Plus=polkomtel/plus gsm, Orange Polska=orange polska, T-Mobile Polska=t mobile polska
pt: MEO=meo, NOS=nos comunicacoes, Vodafone Portugal=vodafone portugal
ie: Eir=eir/eircom, Three Ireland=three ireland, Vodafone Ireland=vodafone ireland
ca: Rogers=rogers/rogers wireless, Bell=bell canada/bell mobility, Telus=telus/telus mobility, Fido=fido/fido mobile, Koodo=koodo, Freedom Mobile=freedom mobile, Virgin Plus=virgin plus/virgin mobile
au: Telstra=telstra, Optus=optus, Vodafone Australia=vodafone australia, Boost Australia=boost mobile australia, Amaysim=amaysim, Belong=belong
nz: Spark=spark nz, One NZ=one nz, 2degrees=2degrees, Skinny=skinny mobile
RENT_AND_UTILITIES_INTERNET
us: Comcast Xfinity=comcast/xfinity/comcast cable/comcast xfinity/xfinity mobile, Spectrum=spectrum/charter communications/spectrum mobile/charter comm, Cox=cox communications/cox comm/cox, Optimum=optimum/altice usa/cablevision, CenturyLink=centurylink/lumen, Frontier Communications=frontier comm/frontier communications, Google Fiber=google fiber, Starlink=starlink/starlink internet, Verizon Fios=verizon fios, RCN=rcn, WOW!=wow internet, Mediacom=mediacom
gb: BT=bt group/british telecom/bt/bt broadband, Virgin Media=virgin media/virgin media pymts, Sky=sky digital/sky subscription/sky uk/sky, TalkTalk=talktalk, Plusnet=plusnet, Hyperoptic=hyperoptic, Community Fibre=community fibre, Zen Internet=zen internet
de: Unitymedia=unitymedia, Deutsche Glasfaser=deutsche glasfaser, NetCologne=netcologne, M-net=m net telekommunikation/m net, EWE TEL=ewe tel/ewe, Tele Columbus=tele columbus/pyur
fr: Free Box=free haut debit/free freebox, Numericable=numericable
nl: Ziggo=ziggo/ziggo services, Delta Fiber=delta fiber/caiway
se: Bahnhof=bahnhof ab, Bredband2=bredband2
ca: Videotron=videotron, Shaw=shaw communications/shaw cable, TekSavvy=teksavvy, Eastlink=eastlink
au: Aussie Broadband=aussie broadband, TPG=tpg internet/tpg, iiNet=iinet, Dodo=dodo services, Superloop=superloop
RENT_AND_UTILITIES_ENERGY
us: PG&E=pg&e/pacific gas & electric/pgande, Con Edison=con ed/con edison/coned/consolidated edison, Duke Energy=duke energy, Southern California Edison=so cal edison/southern california edison/sce, National Grid=national grid, Dominion Energy=dominion energy, Florida Power & Light=fpl/florida power & light/fpl direct debit, Xcel Energy=xcel energy, ComEd=comed/commonwealth edison, Georgia Power=georgia power, PSE&G=pse&g/pseg, DTE Energy=dte energy, Entergy=entergy, Reliant=reliant energy/reliant, TXU=txu energy, SDG&E=sdg&e/san diego gas, SoCalGas=socalgas/southern california gas, Peoples Gas=peoples gas, Consumers Energy=consumers energy, Eversource=eversource, Ameren=ameren, PECO=peco energy/peco, CenterPoint Energy=centerpoint energy, Atmos Energy=atmos energy, Puget Sound Energy=puget sound energy, AES=aes indiana, Nicor Gas=nicor gas, Sunrun=sunrun
gb: British Gas=british gas/british gas services, EDF Energy=edf energy, E.ON=e on/eon/eon next/e on next/e on energie/eon energie, Octopus Energy=octopus energy/octopus energy germany, OVO Energy=ovo energy/ovo, ScottishPower=scottishpower/scottish power, SSE=sse energy/sse airtricity/sse, Bulb=bulb energy/bulb, Shell Energy=shell energy, Utilita=utilita, So Energy=so energy, Good Energy=good energy, Utility Warehouse=utility warehouse
de: Vattenfall=vattenfall/vattenfall europe/vattenfall europe sales, EnBW=enbw/enbw energie, RWE=rwe, innogy=innogy, EnviaM=enviam/envia mitteldeutsche, Yello=yello strom/yello, LichtBlick=lichtblick, Naturstrom=naturstrom/naturstrom ag, Stadtwerke Munchen=stadtwerke munchen/swm, Mainova=mainova, N-ERGIE=n ergie, GASAG=gasag, EWE Energie=ewe vertrieb, Tibber=tibber, Greenpeace Energy=green planet energy, Polarstern=polarstern, Eprimo=eprimo, RheinEnergie=rheinenergie, Hamburg Energie=hamburg energie/hamburger energiewerke, DREWAG=drewag/sachsenenergie, ista=ista deutschland, Techem=techem
fr: EDF=edf/edf clients particuliers/electricite de france, Engie=engie/gdf suez, TotalEnergies Electricite=totalenergies electricite/direct energie, Eni France=eni gas & power france, Ekwateur=ekwateur, Vattenfall France=vattenfall france, Dalkia=dalkia
es: Iberdrola=iberdrola/iberdrola clientes, Endesa=endesa/endesa energia, Naturgy=naturgy, Repsol Luz=repsol comercializadora, Holaluz=holaluz, TotalEnergies Espana=totalenergies clientes, Curenergia=curenergia
it: Enel=enel energia/enel/servizio elettrico nazionale, Eni Plenitude=eni plenitude/eni gas e luce, A2A=a2a energia/a2a, Edison=edison energia, Hera=hera comm, Iren=iren mercato/iren, Acea=acea energia, Sorgenia=sorgenia, Illumia=illumia
nl: Eneco=eneco/eneco services, Essent=essent, Vattenfall Nederland=vattenfall nederland/nuon, Greenchoice=greenchoice, Budget Energie=budget energie, Vandebron=vandebron, Energiedirect=energiedirect, Oxxio=oxxio
be: Engie Electrabel=engie electrabel/electrabel, Luminus=luminus, Eneco Belgium=eneco belgium, Fluvius=fluvius
ch: EWZ=ewz, BKW=bkw energie, Axpo=axpo, IWB=iwb
at: Wien Energie=wien energie, Verbund=verbund ag, EVN=evn energie, Energie AG=energie ag
se: Ellevio=ellevio, Fortum=fortum, E.ON Sverige=e on sverige/eon sverige, Goteborg Energi=goteborg energi, Skelleftea Kraft=skelleftea kraft
no: Hafslund=hafslund/hafslund strom, Elvia=elvia, Fjordkraft=fjordkraft
dk: Orsted=orsted, Norlys=norlys, Andel Energi=andel energi
fi: Helen=helen oy, Caruna=caruna
pl: PGE=pge obrot, Tauron=tauron, Enea=enea, Energa=energa, PGNiG=pgnig
pt: EDP=edp comercial/edp, Galp Energia=galp power, Goldenergy=goldenergy
ie: Electric Ireland=electric ireland, Bord Gais=bord gais, Energia Ireland=energia ireland
ca: Hydro-Quebec=hydro quebec, BC Hydro=bc hydro, Toronto Hydro=toronto hydro, Enbridge Gas=enbridge gas/enbridge, FortisBC=fortisbc, Hydro One=hydro one, Enmax=enmax, Epcor=epcor
au: AGL=agl energy/agl sales/agl, Origin Energy=origin energy, EnergyAustralia=energyaustralia/energy australia, Red Energy=red energy, Alinta Energy=alinta energy/alinta, Ausgrid=ausgrid
nz: Genesis Energy=genesis energy, Mercury NZ=mercury nz, Contact Energy=contact energy, Meridian=meridian energy
RENT_AND_UTILITIES_WATER
us: American Water=american water, Waste Management=waste management/wm invoice, Republic Services=republic services, DC Water=dc water, Aqua America=aqua pennsylvania/aqua america
gb: Thames Water=thames water, Severn Trent Water=severn trent/severn trent water, Anglian Water=anglian water, Yorkshire Water=yorkshire water, United Utilities=united utilities, Southern Water=southern water, Affinity Water=affinity water, Scottish Water=scottish water, South West Water=south west water, Wessex Water=wessex water, Welsh Water=dwr cymru/welsh water
de: Berliner Wasserbetriebe=berliner wasserbetriebe, Hamburg Wasser=hamburg wasser, BSR=berliner stadtreinigung/bsr
fr: Veolia=veolia eau/veolia, Suez=suez eau/suez, Eau de Paris=eau de paris, Saur=saur
nl: Vitens=vitens, Waternet=waternet, Evides=evides, Brabant Water=brabant water
es: Canal de Isabel II=canal de isabel/canal isabel ii, Aigues de Barcelona=aigues de barcelona, Emasesa=emasesa
it: Acea Ato 2=acea ato, MM Milano=mm spa
au: Sydney Water=sydney water, Yarra Valley Water=yarra valley water, Urban Utilities=urban utilities
RENT_AND_UTILITIES_RENT
de: Vonovia=vonovia/vonovia se, Deutsche Wohnen=deutsche wohnen, LEG Immobilien=leg wohnen/leg immobilien, degewo=degewo, Gewobag=gewobag, Howoge=howoge, SAGA=saga hamburg/saga unternehmensgruppe
us: AvalonBay=avalonbay/avalon communities, Equity Residential=equity residential/equity apartments, Greystar=greystar, ClickPay=clickpay, RentCafe=rentcafe/yardi rent, AppFolio=appfolio
GOVERNMENT_AND_NON_PROFIT_TAX_PAYMENT
us: IRS=irs/irs usataxpymt/irs treas, Franchise Tax Board=franchise tax board/franchise tax bo
gb: HMRC=hmrc/hm revenue & customs/hmrc self assessment/hmrc gov uk sa
fr: DGFiP=dgfip/direction generale des finances publiques/impot dgfip
es: Agencia Tributaria=agencia tributaria/aeat
nl: Belastingdienst=belastingdienst
se: Skatteverket=skatteverket
ca: Canada Revenue Agency=canada revenue agency/cra
au: Australian Taxation Office=ato payment/australian taxation office
GOVERNMENT_AND_NON_PROFIT_DONATIONS
us: Red Cross=american red cross/red cross/rotes kreuz, UNICEF=unicef, Doctors Without Borders=doctors without borders/medecins sans frontieres/arzte ohne grenzen, Wikimedia=wikimedia foundation/wikimedia, GoFundMe=gofundme, Salvation Army=salvation army, St. Jude=st jude, ActBlue=actblue, WinRed=winred, World Wildlife Fund=world wildlife fund/wwf/wwf deutschland, Greenpeace=greenpeace
gb: Oxfam=oxfam, Cancer Research UK=cancer research uk, British Heart Foundation=british heart foundation, RSPCA=rspca, Macmillan=macmillan cancer, JustGiving=justgiving, RNLI=rnli, Save the Children=save the children, Barnardo's=barnardos/barnardo s
de: Betterplace=betterplace, Brot fur die Welt=brot fur die welt, DKMS=dkms, NABU=nabu, SOS-Kinderdorf=sos kinderdorf
fr: Restos du Coeur=restos du coeur, Secours Populaire=secours populaire, Emmaus=emmaus, Croix-Rouge=croix rouge francaise/croix rouge
LOAN_PAYMENTS_PAY_LATER
us: Affirm=affirm/affirm pay, Afterpay=afterpay/clearpay, Klarna=klarna/klarna bank, Sezzle=sezzle, Zip=zip co/quadpay
LOAN_PAYMENTS_CAR
us: Toyota Financial=toyota financial/toyota fin, Ford Credit=ford credit/ford motor credit, Honda Finance=american honda finance/honda finance, Ally Auto=ally auto, GM Financial=gm financial, Nissan Motor Acceptance=nissan motor acc, Chrysler Capital=chrysler capital
de: Volkswagen Financial Services=volkswagen leasing/volkswagen bank/volkswagen financial, BMW Bank=bmw bank/bmw financial, Mercedes-Benz Bank=mercedes benz bank/mercedes benz leasing, Santander Consumer=santander consumer/santander consumer bank
TRANSFER_OUT_TO_APPS
us: PayPal=paypal, Venmo=venmo, Cash App=cash app/square cash, Zelle=zelle, Wise=wise/transferwise/wise payments, Western Union=western union, Remitly=remitly, Revolut=revolut, MoneyGram=moneygram
TRANSFER_OUT_INVESTMENT_FUNDS
us: Vanguard=vanguard/vanguard buy, Fidelity=fidelity investments/fid bkg svc/fidelity, Charles Schwab=charles schwab/schwab brokerage/schwab, Robinhood=robinhood, Coinbase=coinbase/coinbase com, Acorns=acorns/acorns invest, E*TRADE=e trade/etrade, Betterment=betterment, Wealthfront=wealthfront, Binance=binance, Kraken=kraken exchange/payward
gb: Hargreaves Lansdown=hargreaves lansdown, AJ Bell=aj bell, Nutmeg=nutmeg, Trading 212=trading 212, Moneybox=moneybox, Freetrade=freetrade
de: Trade Republic=trade republic, Scalable Capital=scalable capital/baader bank scalable, comdirect=comdirect, Flatex=flatex, DWS=dws
`
