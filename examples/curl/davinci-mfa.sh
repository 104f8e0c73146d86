#!/usr/bin/env bash
# A second factor by a DaVinci flow: a choice of devices, a code by mail, two devices that look alike, a new device with a phone
# number and its extension.
. "$(dirname "$0")/lib.sh"
davinci_only mfa

# first USER: signs on as far as the second factor.
first() {
    new_browser
    begin Mfa
    send "{\"user.username\":\"$1\",\"user.password\":\"Ch4ng3it!\"}"
    expect 200 .type continue
}

# choose ID: a device, which sends the page.
choose() { send "$(jq -nc --arg id "$1" '{device: $id}')" device; }

first demo
expect 200 '.collectors[0].type' DeviceAuthenticationCollector '[.collectors[0].options[].type] | join(" ")' 'SMS EMAIL TOTP' \
    '.collectors[0].value == .collectors[0].options[0].id' true
mail=$(field '.collectors[0].options[1].id')
choose somebody-elses
expect_problem 422 invalid-answers
expect 422 '.fields[0].code' not-offered
choose "$mail"
expect 200 .type continue .name 'Enter a code' '.collectors[0].answer.autocomplete' one-time-code
code_of demo@example.com
send '{"otp":"wrong"}'
expect 200 .type error
send "{\"otp\":\"$CODE\"}"
expect 200 .type success .signedIn true
call GET /bff/workforce/user
expect 200 '.token.amr | index("mfa") != null' true

# Two that look alike are two.
first alice
expect 200 '[.collectors[0].options[] | .title] | unique | length' 1 '[.collectors[0].options[] | .id] | unique | length' 2
choose "$(field '.collectors[0].options[1].id')"
expect 200 .name 'Enter a code'
send '{"otp":"424242"}'
expect 200 .type success .user.claims.preferred_username alice

# None yet: one is registered, whose number the form has filled in.
first bob
expect 200 '.collectors[0].type' DeviceRegistrationCollector
choose VOICE
expect 200 '.collectors[0].type' PhoneNumberCollector '.collectors[0].value.countryCode' CA \
    '.collectors[0].value.phoneNumber' 7783186380 '.collectors[0].showExtension' true
send '{"user.phone":{"phoneNumber":""}}' submit
expect_problem 422 invalid-answers
send '{"user.phone":{"phoneNumber":"1","extension":"12"}}' submit
expect 200 .type error '.details[0].id' user.phone
send '{"user.phone":{"countryCode":"CH","phoneNumber":"446681800","extension":"12"}}' submit
expect 200 .name 'Enter a code'
send '{"otp":"424242"}' submit
expect 200 .type success .user.claims.preferred_username bob
done_with davinci-mfa
