/// A settings file with every key there is.
enum SettingsSample {
    static let everything = """
        server:
          listen: "[::1]:0"
          publicUrl: http://localhost:8080
          insecureHttp: true
          admin: 10.1.2.3:9000
          insecureAdmin: true
          adminToken: 0123456789abcdef0123456789abcdef
          threads: 4
          drain: 1s500ms
          basePath: /auth
          csrfHeader: X-App
          csrfValue: "yes"
          files: web
          contentSecurityPolicy:
            scriptSrc: https://scripts.example.com
            styleSrc: https://styles.example.com
            connectSrc: [https://calls.example.com:8443, https://more.example.com]
            frameSrc: https://frames.example.com
            wasm: true
          pingCompatibility: { clients: [standard] }
          webAuthn: { relatedOrigins: ["https://shop.example.net", "https://www.example.org:8443"] }
          passkeyEndpoints: { enroll: http://localhost:8080/new, manage: https://app.example.com/keys?a=b }
          corsOrigins: [http://localhost:3000]
          hosts: [127.0.0.1:8080]
          trustedPeers: [10.0.0.0/8, "fd00::/8"]
          returnTargets: { shop: /shop?from=away, home: / }
          limits:
            answers: 2MiB
            body: 8KiB
            target: 4KiB
            headerCount: 50
            headerBytes: 32KiB
            headerTime: 5s
            bodyTime: 6s
            requestTime: 1m30s
            responseTime: 8s
            responseRate: 1KiB
            idle: 9s
            connections: 100
            connectionsPerPeer: 10
            callsPerPeer: 11
            callsPerSession: 12
            events: 17
            eventsPerPeer: 18
            polls: 16
            held: 13MiB
            heldPerPeer: 14MiB
            heldPerSession: 15MiB
          rates:
            peer: off
            session: { burst: 5, perMinute: 6 }
            flow: { burst: 7, perMinute: 8 }
            anonymous: { burst: 13, perMinute: 14 }
            api: { peer: { burst: 9, perMinute: 10 }, session: off }
            authz: { burst: 11, perMinute: 12 }
            account: { burst: 9, perMinute: 10 }
        session:
          idle: 1h30m
          absolute: 1d
          anonymous: 5m
          flow: 20m
          flowsPerInstance: 3
          accounts: 4
          endRequirement: high-value
          anonymousSessions: 1000
          store: sqlite:sessions.db
          keys:
            - { id: new, key: AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA }
            - { file: old.key }
            - { id: env, key: "env ${SESSION_KEY}" }
        storages:
          transaction: {}
          shared: {}
        log: { level: debug, format: json, audit: false }
        outbound:
          caFile: ca.pem
          proxy: http://proxy.example.com:3128
          connections: 20
          connectionsPerHost: 10
          waitingRequests: 0
          connectTimeout: 2500ms
          answers: 1MiB
        clients:
          standard:
            type: journey
            serverUrl: http://tenant.internal/am
            insecureHttp: true
            realm: /alpha
            cookieName: iPlanetDirectoryPro
            balancerCookies: [route]
            linkHosts: [social.example.com, "accounts.example.com:8443"]
            sessionUpgrade: parameter
            forward: { clientAddress: xForwardedFor, userAgent: browser }
            requestedWith: forgerock-sdk
            platform: web
            expose: [contract, until]
            languages: { mode: override, values: [fr-CH, fr] }
            webAuthn: { origins: [https://shop.example.com, "http://localhost:8080"], rpIds: example.org, insecureChallenge: true }
            headers: { X-Tenant: "${SECRET}", x-app: a b }
            journeys: [Login, Registration]
            transactions: true
            parameters: [campaign]
            acrValues: [gold]
            timeout: 75s
            refreshThreshold: 2m
            keepProviderSession: true
            sessionStorage: shared
            oidc:
              clientId: bff
              clientSecretFile: client.secret
              clientAuthentication: client_secret_post
              scopes: [openid, profile]
              redirectUri: https://app.example.com/code
              discovery: http://tenant.internal/d/.well-known/openid-configuration
              issuer: https://issuer.example.com:443/x
              acrValues: silver
              parameters: { ui_theme: dark, "urn:x": "a b" }
              algorithms: [ES256]
              leeway: 0s
              defaultLifetime: 10m
              consent: grant
              endpointOrigins: [https://login.example.com]
              revocationEndpoint: http://tenant.internal/revoke
              introspectionEndpoint: http://tenant.internal/introspect
              endSessionEndpoint: http://tenant.internal/end
          transaction:
            type: journey
            serverUrl: http://tenant.internal/am/
            insecureHttp: true
            realm: root/alpha
            journeys: StepUp
            sessionStorage: shared
            tokenStorage: transaction
            minimum: high-value
            limits: { idle: 1m, absolute: 5m }
            oidc:
              clientId: bff-tx
              clientAuthentication: none
              scopes: [openid, WRITE_TRANSACTION]
              redirectUri: https://app.example.com/code
          workforce:
            type: davinci
            platform: web
            languages: { mode: append, values: de }
            linkHosts: accounts.example.org
            start: post
            deviceValue: native
            persistCookies: [ST]
            parameters: [customKey]
            acrValues: [policy-2]
            prompts: [none, login]
            timeout: 2m
            sessionStorage: workforce
            oidc:
              clientId: app
              clientAuthentication: none
              scopes: openid
              redirectUri: https://app.example.com/code
              discovery: https://auth.pingone.eu/env/as/.well-known/openid-configuration
              acrValues: policy-1
              par: true
              parameters: { tenant: blue }
        requirements:
          high-value:
            scopes: [WRITE_TRANSACTION]
            acr: { anyOf: [gold] }
            amr: { any: [biometric] }
            authLevel: 3
            maxAge: 5m
            stepUp: transaction
            challengeAcr: gold
        routes:
          - path: /api/transactions
            upstream: http://127.0.0.1:9000/transactions
            methods: [POST]
            clients: [standard, transaction]
            require: high-value
            slides: false
            limits: { body: 64KiB, time: 10s, concurrency: 8 }
            replay: true
            bodies: true
            insecureOverlap: true
            keepsCacheControl: true
            vary: [Cookie]
            headers: [X-Tenant]
            answerHeaders: [X-Total-Count]
        issuers:
          - issuer: http://tenant.internal/issuer
            insecureHttp: true
            discovery: http://tenant.internal/issuer/.well-known/openid-configuration
            profile: am
            audiences: [ledger]
            clients: [bff-tx]
            algorithms: [ES256]
            leeway: 10s
            mode: both
            introspection:
              clientId: rs
              clientSecretFile: client.secret
              clientAuthentication: client_secret_post
              keepActive: 5s
              keepInactive: 1s
              timeout: 2s
        authz: { peers: [10.0.0.0/8], cachedTokens: 100, subjects: qualified }
        """
}

extension SettingsSample {
    /// A file of authorities, with the certificate of one.
    static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBkDCCATWgAwIBAgIUCzWowEohSgRCVsNSEKpgtJT2OAgwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRYXV0aG9yaXR5LmV4YW1wbGUwIBcNMjYxMTI5MDkxNzUzWhgP
        MjEyNjExMDUwOTE3NTNaMBwxGjAYBgNVBAMMEWF1dGhvcml0eS5leGFtcGxlMFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEd0kPE3LtS0C4Z1PjJPn761ErmUZXrABj
        ZBlpOlzjS/W58g92FcXJm32c6+NfnPb1y1R+G7+t5itrGseYCQkoLqNTMFEwHQYD
        VR0OBBYEFEA+0sU4A/F3zPOzP3qS5bwRzZf3MB8GA1UdIwQYMBaAFEA+0sU4A/F3
        zPOzP3qS5bwRzZf3MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIh
        AKF7r+SZz+tvxfeW44n8CT79CiD38724EejsubQ/gMM3AiEA5ZdZDTPtFoMHwTdX
        RK93FG0sOZYa12oZxG9U+fPBgas=
        -----END CERTIFICATE-----
        """
}
