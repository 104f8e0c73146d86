#!/bin/sh
# Fuzzes a parser for a bounded time: Tests/Fuzz/run.sh [json|yaml|cbor|http|step|form|pattern] [seconds], json and 60 unless said otherwise.
# What is found stays in .build/fuzz/TARGET/findings; the corpus grows from run to run in .build/fuzz/TARGET/corpus.
set -eu
cd "$(dirname "$0")/../.."
target=${1:-json}
seconds=${2:-60}
case $target in
json) sources='Sources/JSON/*.swift' fuzzer=Tests/Fuzz/JSONFuzzer.swift ;;
yaml) sources='Sources/YAML/*.swift' fuzzer=Tests/Fuzz/YAMLFuzzer.swift ;;
cbor) sources=Sources/BFF/WebAuthn/CBORReader.swift fuzzer=Tests/Fuzz/CBORFuzzer.swift ;;
# A whole library and what it stands on: built by the package in a folder of its own.
http) library=HTTPCodec fuzzer='Tests/Fuzz/HTTPFuzzer.swift Tests/HTTPCodecTests/ResponseCollector.swift' ;;
step) library=JourneyClient fuzzer='Tests/Fuzz/StepFuzzer.swift Tests/Fuzz/Samples.swift' ;;
form) library=DaVinciClient fuzzer='Tests/Fuzz/FormFuzzer.swift Tests/Fuzz/Samples.swift' ;;
pattern) library=DaVinciClient fuzzer=Tests/Fuzz/PatternFuzzer.swift ;;
*)
    echo "$0: no target '$target'; there are json, yaml, cbor, http, step, form and pattern" >&2
    exit 64
    ;;
esac
out=.build/fuzz/$target
mkdir -p "$out/corpus" "$out/findings"
dict=Tests/Fuzz/$target.dict
if [ -n "${library-}" ]; then
    built=.build-fuzz
    # What is not public is fuzzed too.
    swift build -c release --target "$library" --scratch-path "$built" -Xswiftc -enable-testing \
        -Xswiftc -sanitize=fuzzer,address
    sources="-Xcc -fmodule-map-file=$built/release/CShims.build/module.modulemap -I $built/release/Modules -I Sources/CCurl -I Sources/COpenSSL $(find -L "$built/release" -name '*.o' | sort)"
    # Every name that a page may have or be asked for, in the form of a dictionary already.
    dict=$out/$target.dict
    grep -rhoE '"[A-Za-z][A-Za-z0-9_-]*"' "Sources/$library" | sort -u >"$dict"
    cat Tests/Fuzz/json.dict >>"$dict"
    case $target in pattern | http) dict=Tests/Fuzz/$target.dict ;; esac
fi
# -I finds the module maps of the C libraries, which also name what to link.
# shellcheck disable=SC2086 # the sources are a pattern, or words
swiftc -O -sanitize=fuzzer,address -parse-as-library -package-name cloakroom -swift-version 6 -enable-upcoming-feature InternalImportsByDefault \
    -I Sources/CYAML -module-name Fuzzer -o "$out/fuzzer" ${sources-} $fuzzer
# Seeds: one small document per feature of the grammar.
seed() { printf '%b' "$2" > "$out/corpus/seed-$1"; }
case $target in
json)
    seed object '{"a":1,"b":[true,false,null],"c":{"d":"e"}}'
    seed strings '["\\u00e9\\uD834\\uDD1E\\n\\"\\\\","é€😀",""]'
    seed numbers '[0,-0,1.10,1e+2,-2.5E-3,9223372036854775807,30e-1]'
    seed names '{"a":1,"\\u0061b":2,"":{"a":[]}}'
    seed duplicate '{"a":1,"a":2}'
    seed space ' [ 1 , { } ] '
    ;;
cbor)
    seed none '\0243\0143fmt\0144none\0147attStmt\0240\0150authData\0102\0001\0002'
    seed packed '\0242\0147attStmt\0242\0143alg\0046\0143sig\0130\0003abc\0150authData\0131\0000\0001z'
    seed nested '\0242\0141x\0202\0201\0200\0301\0000\0150authData\0100'
    seed long '\0241\0150authData\0133\0000\0000\0000\0000\0000\0000\0000\0001z'
    ;;
step)
    for page in Tests/ConformanceTests/Fixtures/journey/page-*.json; do
        jq -c '{step: .body, answers: (.expect.answered.answers // {})}' "$page" >"$out/corpus/seed-$(basename "$page")"
    done
    # A page of each type alone, of which nothing is known but the name.
    for type in $(grep -rhoE 'wireType = "[A-Za-z]+"' Sources/JourneyClient/Callbacks | cut -d '"' -f 2 | sort -u); do
        seed "$type" '{"authId":"a","callbacks":[{"type":"'"$type"'","output":[],"input":[{"name":"IDToken1","value":""}]}]}'
    done
    ;;
form)
    for page in Tests/ConformanceTests/Fixtures/davinci/form-*.json; do
        jq -c '{step: .body, answers: {}}' "$page" >"$out/corpus/seed-$(basename "$page")"
    done
    # A page of each type alone, of which nothing is known but the name.
    for type in $(grep -oE '^        "[A-Z_0-9]+"' Sources/DaVinciClient/Collectors/CollectorCatalogue.swift | tr -d ' "'); do
        seed "$type" '{"form":{"components":{"fields":[{"type":"'"$type"'","key":"k"}]}},"_links":{"next":{"href":"https://a.example/davinci/n"}}}'
    done
    ;;
http)
    # Flags, a limit and two cuts first, see the fuzzer.
    seed length '\0000\0377\0010\0040HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\nhello'
    seed chunked '\0000\0377\0010\0100HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n'
    seed close '\0010\0377\0010\0020HTTP/1.0 200 OK\r\nServer: x\r\n\r\nhello'
    seed interim '\0000\0377\0010\0040HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\nConnection: close\r\n\r\n'
    seed head '\0001\0377\0010\0040HTTP/1.1 304 No\r\nContent-Length: 5\r\nETag: "x"\r\n\r\n'
    seed surplus '\0000\0100\0010\0040HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n'
    seed request '\0020\0377\0000\0000POST\n/a/b\nc=d\na.example:1\nAccept\nb c'
    seed absolute '\0060\0377\0000\0000GET\n/a/b\nc=d\n[::1]:80\nAccept\nb c'
    seed pieces '\0120\0377\0002\0000PUT\n/a/b\n\na.example\nAccept\nb c d e f g h i j k l'
    seed both '\0160\0377\0000\0000PUT\n/\n\na.example\nAccept\nb'
    ;;
pattern)
    seed address '^[^@\\s]+@[a-z0-9.-]+\\.[a-z]{2,}$\nann@example.com'
    seed nested '^(a+)+$\naaaaaaaaaaaab'
    seed sets '[^\\d\\w-]|[a-f\\]\\-]{2,3}?\\b\nx--y'
    seed groups '(?:ab|(c)){0,2}\\u0041\\x41.\\B\nabcAA.'
    ;;
yaml)
    seed block 'a: 1\nb:\n  - x\n  - y: z\n    w: ~\n? [k]\n: v\n'
    seed flow "{a: [1, 'two', \"three\\\\x41\"], ? b : {}, c}"
    seed scalars '- |\n  a\n  b\n- >-2\n    c\n\n   d\n- "e\n  f"\n- g\n  h\n'
    seed aliases '- &a [x, &b y]\n- {*b : *a}\n- &a z\n- *a\n'
    seed loop '&a [*a]'
    seed tags '%TAG !x! tag:yaml.org,2002:\n---\n!!map {!!str 1: !x!int "2", !<!> b: ! c}\n...\n'
    seed numbers '[0, -1, 0o17, 0xFf, 1.5e-3, .inf, -.INF, .nan, 1_0, yes, True, NULL]'
    seed duplicate 'a: 1\n"\\x61": 2\n'
    seed documents '%YAML 1.2\n--- a\n--- b\n'
    seed lines '\0357\0273\0277# c\r\na: é\r\0302\0205b: \0342\0200\0250'
    ;;
esac
exec "$out/fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=2048 \
    -dict="$dict" -artifact_prefix="$out/findings/" "$out/corpus"
