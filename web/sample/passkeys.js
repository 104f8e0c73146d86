// Tells the browser about passkeys; docs/passkeys.md says when.

/**
 * Has the browser stop offering a passkey that the provider does not know: the one in the page's answer to a question.
 * True if the browser took the signal. Only for a journey or a flow that says that the passkey is unknown: a failure
 * alone does not, and the browser may delete the passkey.
 */
export async function forget(question, answer) {
  const credentialId = answer?.credential?.id
  const asked = question?.publicKey
  // A registration has a relying party of another form, and a passkey that was not made is nowhere to be hidden.
  if (!credentialId || !asked || asked.rp || !globalThis.PublicKeyCredential?.signalUnknownCredential) return false
  try {
    await PublicKeyCredential.signalUnknownCredential({ rpId: asked.rpId ?? location.hostname, credentialId })
    return true
  } catch {
    return false
  }
}
