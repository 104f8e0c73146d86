#!/usr/bin/env python3
"""Writes OtherImplementations.swift: tokens and keys made by PyJWT and joserfc.

Needs the packages pyjwt, cryptography and joserfc. Keys are new on every run, so the
tokens and the keys always change together:

    python3 Tests/JOSETests/make_tokens.py > Tests/JOSETests/OtherImplementations.swift
"""

import base64
import hashlib
import hmac
import json

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from joserfc import jwk as joserfc_jwk
from joserfc import jws as joserfc_jws

CLAIMS = {"iss": "https://issuer.example", "sub": "démo", "aud": ["bff", "api"], "exp": 4102444800, "iat": 1767225600}

KEYS = {
    "rsa": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "p256": ec.generate_private_key(ec.SECP256R1()),
    "p384": ec.generate_private_key(ec.SECP384R1()),
    "ed25519": ed25519.Ed25519PrivateKey.generate(),
}

ALGORITHMS = {
    "RS256": "rsa", "RS384": "rsa", "RS512": "rsa", "PS256": "rsa", "PS384": "rsa", "PS512": "rsa",
    "ES256": "p256", "ES384": "p384", "EdDSA": "ed25519",
}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def public_jwk(name):
    key = KEYS[name].public_key()
    algorithm = {"rsa": jwt.algorithms.RSAAlgorithm, "p256": jwt.algorithms.ECAlgorithm,
                 "p384": jwt.algorithms.ECAlgorithm, "ed25519": jwt.algorithms.OKPAlgorithm}[name]
    members = algorithm.to_jwk(key, as_dict=True)
    members.pop("key_ops", None)
    return {**members, "kid": name, "use": "sig"}


def private_pem(name):
    return KEYS[name].private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def by_joserfc(algorithm):
    key = joserfc_jwk.import_key(private_pem(ALGORITHMS[algorithm]), {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}[algorithm[:2]])
    header = {"alg": algorithm, "kid": ALGORITHMS[algorithm]}
    return joserfc_jws.serialize_compact(header, json.dumps(CLAIMS), key, algorithms=[algorithm])


def confused():
    """The public key, which everybody knows, used as the secret of HS256."""
    pem = KEYS["rsa"].public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    signed = base64url(b'{"alg":"HS256","kid":"rsa"}') + "." + base64url(json.dumps(CLAIMS).encode())
    return signed + "." + base64url(hmac.new(pem, signed.encode(), hashlib.sha256).digest())


def literal(text):
    return json.dumps(text, ensure_ascii=False)


print("// Made by make_tokens.py; do not edit.\n")
print("// swift-format-ignore-file\n")
print("/// Tokens and keys made by PyJWT and joserfc.")
print("enum OtherImplementations {")
print("    static let keySet = #\"" + json.dumps({"keys": [public_jwk(name) for name in KEYS]}) + "\"#\n")
print("    static let tokens: [(maker: String, algorithm: String, token: String)] = [")
for algorithm, name in ALGORITHMS.items():
    token = jwt.encode(CLAIMS, KEYS[name], algorithm=algorithm, headers={"kid": name})
    print(f'        ("PyJWT", "{algorithm}", {literal(token)}),')
    print(f'        ("joserfc", "{algorithm}", {literal(by_joserfc(algorithm))}),')
print("    ]\n")
print("    /// HS256 with the public RSA key as the secret.")
print(f"    static let confused = {literal(confused())}\n")
print("    /// No signature at all.")
print(f"    static let unsigned = {literal(jwt.encode(CLAIMS, None, algorithm='none', headers={'kid': 'rsa'}))}\n")
print("    /// ES512 that names the key of P-256.")
p521 = ec.generate_private_key(ec.SECP521R1())
print(f"    static let es512 = {literal(jwt.encode(CLAIMS, p521, algorithm='ES512', headers={'kid': 'p256'}))}")
print("}")
