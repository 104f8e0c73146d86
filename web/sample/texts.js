// The texts of the app in its two languages.
export const texts = {
  en: {
    skip: 'Skip to content', signIn: 'Sign in', demo: 'Users of the demo: demo, alice, bob. Password: Ch4ng3it!',
    withJourney: 'Sign in by a Journey', withDaVinci: 'Sign in by DaVinci', other: 'Other ways', way: 'Journey or flow',
    account: 'Account name in this browser (optional)', begin: 'Begin', accounts: 'Account', renew: 'Renew token',
    another: 'Add an account', register: 'Register a passkey', token: 'Facts about the token', ledger: 'Accounts',
    amount: 'Amount from checking to savings', pay: 'Transfer', signOut: 'Sign out', signOutAll: 'Sign out of everything',
    stepUp: 'Please confirm that it is you', cancel: 'Cancel', go: 'Continue', hello: 'Hello, {name}', expiring: 'You will be signed out soon.',
    stay: 'Stay signed in', paid: 'The money is on its way.', confirmed: 'Thank you. Please try again.', notPaid: 'The transfer was not made.', signedOut: 'You are signed out.',
    signedIn: 'You are signed in.', elsewhere: 'Another tab has changed who is signed in.', failed: 'That did not work.',
    unreachable: 'The server cannot be reached. Try again later.', cookies: 'Your browser blocks the cookie of this site. Allow it, then try again.',
    expired: 'That took too long. Please begin again.', link: 'You opened a link from a message. Go on with it?', goLink: 'Continue signing in',
    crossBrowser: 'You opened the link in another browser: signing in here.', change: 'Sign out the present user, and go on as {name}?',
    yes: 'Yes', no: 'No', wait: 'Waiting …', leave: 'Continue at {name}', leaveOther: 'Continue at another site', noDeviceKey: 'A browser cannot keep the key of a native app: the journey goes on another way.', key: 'Use a passkey', newKey: 'Create a passkey', noKey: 'Without a passkey',
    question: 'Question', answer: 'Answer', country: 'Country code', number: 'Phone number', extension: 'Extension', repeat: 'Repeat',
    ownScript: 'This page needs a script of another vendor, which this app does not have.', mail: 'Please open the link in the message that was sent to you.',
    subject: 'Subject', name: 'Name', email: 'E-mail', scope: 'Scopes', level: 'Level', methods: 'Methods', seconds: '{n} seconds left', ends: 'Token ends in', idle: 'Session ends in', account0: 'Default account', required: 'Please fill this in.',
  },
  de: {
    skip: 'Zum Inhalt', signIn: 'Anmelden', demo: 'Benutzer der Demo: demo, alice, bob. Passwort: Ch4ng3it!',
    withJourney: 'Mit einer Journey anmelden', withDaVinci: 'Mit DaVinci anmelden', other: 'Andere Wege', way: 'Journey oder Flow',
    account: 'Name des Kontos in diesem Browser (freiwillig)', begin: 'Beginnen', accounts: 'Konto', renew: 'Token erneuern',
    another: 'Konto hinzufügen', register: 'Passkey anlegen', token: 'Angaben zum Token', ledger: 'Konten',
    amount: 'Betrag vom Giro- auf das Sparkonto', pay: 'Überweisen', signOut: 'Abmelden', signOutAll: 'Überall abmelden',
    stepUp: 'Bitte bestätigen Sie, dass Sie es sind', cancel: 'Abbrechen', go: 'Weiter', hello: 'Hallo, {name}', expiring: 'Sie werden bald abgemeldet.',
    stay: 'Angemeldet bleiben', paid: 'Das Geld ist unterwegs.', confirmed: 'Danke. Bitte versuchen Sie es noch einmal.', notPaid: 'Es wurde nichts überwiesen.', signedOut: 'Sie sind abgemeldet.',
    signedIn: 'Sie sind angemeldet.', elsewhere: 'In einem anderen Tab hat sich die Anmeldung geändert.', failed: 'Das hat nicht geklappt.',
    unreachable: 'Der Server ist nicht erreichbar. Bitte später noch einmal versuchen.', cookies: 'Ihr Browser blockiert das Cookie dieser Seite. Bitte erlauben Sie es.',
    expired: 'Das hat zu lange gedauert. Bitte noch einmal beginnen.', link: 'Sie haben einen Link aus einer Nachricht geöffnet. Damit weitermachen?', goLink: 'Weiter anmelden',
    crossBrowser: 'Sie haben den Link in einem anderen Browser geöffnet: die Anmeldung geschieht hier.', change: 'Den jetzigen Benutzer abmelden und als {name} weitermachen?',
    yes: 'Ja', no: 'Nein', wait: 'Bitte warten …', leave: 'Weiter bei {name}', leaveOther: 'Weiter auf einer anderen Seite', noDeviceKey: 'Ein Browser kann den Schlüssel einer App nicht verwahren: es geht auf anderem Weg weiter.', key: 'Passkey benutzen', newKey: 'Passkey anlegen', noKey: 'Ohne Passkey',
    question: 'Frage', answer: 'Antwort', country: 'Ländervorwahl', number: 'Telefonnummer', extension: 'Durchwahl', repeat: 'Wiederholen',
    ownScript: 'Diese Seite braucht ein Skript eines anderen Anbieters, das diese App nicht hat.', mail: 'Bitte öffnen Sie den Link in der Nachricht an Sie.',
    subject: 'Subjekt', name: 'Name', email: 'E-Mail', scope: 'Scopes', level: 'Stufe', methods: 'Verfahren', seconds: 'noch {n} Sekunden', ends: 'Token endet in', idle: 'Sitzung endet in', account0: 'Standardkonto', required: 'Bitte ausfüllen.',
  },
}
const kept = 'cloakroom-sample-language'
const known = () => { try { return Object.keys(texts).find((one) => one === localStorage.getItem(kept)) } catch { return undefined } }
export let language = known() ?? (navigator.language.startsWith('de') ? 'de' : 'en')
export const say = (key, values = {}) =>
  (texts[language][key] ?? key).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all)
export function speak(wanted) {
  language = wanted
  try { localStorage.setItem(kept, wanted) } catch { /* the choice lasts as long as the page */ }
  for (const part of document.querySelectorAll('[data-text]')) part.textContent = say(part.dataset.text)
  for (const one of document.querySelectorAll('[data-language]')) one.setAttribute('aria-pressed', one.dataset.language === wanted)
  document.documentElement.lang = wanted
}
