#!/usr/bin/env bash
# A new user by a form of DaVinci: a password that is refused here, one that PingOne refuses, then a good one; a code by mail,
# and a number whose policy is that of the whole page.
. "$(dirname "$0")/lib.sh"
davinci_only registration

# answers NAME PASSWORD [MORE]: what was typed into the form.
answers() {
    jq -nc --arg name "$1" --arg password "$2" --argjson more "${3:-{\}}" '{
        "user.username": $name, "user.email": "\($name)@example.com",
        "user.password": {value: $password, confirm: $password}, "user.country": "CH", plan: "pro",
        topics: ["news", "events"], interests: ["music", "a hobby of my own"],
        "user.phone": {countryCode: "CH", phoneNumber: "446681800", extension: "12"}, terms: true} + $more'
}

name=user$(openssl rand -hex 6)
begin Registration
expect 200 '[.collectors[].type] | join(" ")' 'RichTextCollector TextCollector TextCollector PasswordCollector SingleSelectCollector SingleSelectCollector MultiSelectCollector MultiSelectCollector PhoneNumberCollector ReadOnlyTextCollector BooleanCollector SubmitCollector FlowCollector' \
    '.collectors[0].segments[1].href' https://app.example.com/terms '.collectors[3].passwordPolicy.length.min' 8 \
    '.collectors[3].passwordPolicy | has("id")' false '.collectors[6].value[0]' news

# Refused here, all of it at once: nothing was sent, and the step is still open.
send "$(answers "$name" short '{"user.email": "nobody", "terms": false, "user.country": "XX"}')"
expect_problem 422 invalid-answers
expect 422 '[.fields[] | "\(.id) \(.code)"] | join(", ")' \
    'user.email pattern, user.password length, user.password minimum-characters, user.password minimum-characters, user.country not-offered, terms required'
expect 422 '.fields[0].message' 'This is no mail address' '.fields[-1].message' 'You have to agree to go on'
send "$(answers "$name" L0ngEnough '{"user.password": {"value": "L0ngEnough", "confirm": "L0ngEnough!"}}')"
expect 422 '.fields[0].code' mismatch

# Refused by PingOne: the page again with what was typed, its words beside the questions.
send "$(answers demo 'Demo-2-demo')"
expect 200 .type error .step 2 '[.details[] | "\(.id) \(.target)"] | join(", ")' 'user.username username, user.password password' \
    '.details[1].requirements[0].name' excludesProfileData '.collectors[1].value' demo '.collectors[3] | has("value")' false \
    '.collectors[7].value[1]' 'a hobby of my own'

send "$(answers "$name" 'L0ngEnough!')"
expect 200 .type continue .name 'Check your mail'
send '{"otp":"000000"}'
expect 200 .type error .name 'Check your mail'
send '{}' resend
expect 200 .type continue .name 'Check your mail'
code_of "$name@example.com"
send "{\"otp\":\"$CODE\"}"
expect 200 .type continue '.collectors[0].type' PasswordCollector
send '{"pin":"11"}'
expect 200 .type error
send '{"pin":"4711"}'
expect 200 .type success .signedIn true .user.claims.preferred_username "$name"

# The new user can sign on.
new_browser
begin SignOnForms
send "{\"user.username\":\"$name\",\"user.password\":\"L0ngEnough!\"}"
expect 200 .type success .user.claims.preferred_username "$name"
done_with davinci-registration
