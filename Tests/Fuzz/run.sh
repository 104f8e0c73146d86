#!/bin/sh
# Fuzzes the JSON parser for a bounded time: Tests/Fuzz/run.sh [seconds], 60 unless said otherwise.
# What is found stays in .build/fuzz/findings; the corpus grows from run to run in .build/fuzz/corpus.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
out=.build/fuzz
mkdir -p "$out/corpus" "$out/findings"
swiftc -O -sanitize=fuzzer,address -parse-as-library -swift-version 6 -enable-upcoming-feature InternalImportsByDefault \
    -module-name JSONFuzzer -o "$out/json" Sources/JSON/*.swift Tests/Fuzz/JSONFuzzer.swift
# Seeds: one small document per feature of the grammar.
seed() { printf '%s' "$2" > "$out/corpus/seed-$1"; }
seed object '{"a":1,"b":[true,false,null],"c":{"d":"e"}}'
seed strings '["\u00e9\uD834\uDD1E\n\"\\","é€😀",""]'
seed numbers '[0,-0,1.10,1e+2,-2.5E-3,9223372036854775807,30e-1]'
seed names '{"a":1,"\u0061b":2,"":{"a":[]}}'
seed duplicate '{"a":1,"a":2}'
seed space ' [ 1 , { } ] '
exec "$out/json" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=2048 \
    -dict=Tests/Fuzz/json.dict -artifact_prefix="$out/findings/" "$out/corpus"
