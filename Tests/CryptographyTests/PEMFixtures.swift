/// Private keys made for these tests alone with the openssl command.
enum PEMFixtures {
    /// RSA of 2048 bits as PKCS#8.
    static let rsaPKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCfLqMy3+tpd2IY
        CCEAObWDKMXEHGJkHKK/bdXRt3qVv+9K8WIeB3iwJTJ92CYn17yNJpZH+fm+zqK7
        rjRBeslC2V25RVaotOLEOFKfPquKjScDQlLIXeLktX9691DT7Aa0aQaM0kEs0ptR
        lS40Jpk7BLvpB0lYC3yywT7KCJhc7mDFvkpaGeHKRO77KIJYwPH3FzvUyEpn3Q9c
        yNK3DvTYTrjyf53LBQlognkvEEUwYayHc6vGHZkcPvxGinVQIhSxKWqiD7P6OCUk
        AnNtyge523dDv+bAEL/d0KxIRaNmabm1oGaDAdOF6t7cKVI6WZ4vGapJI8XOIlOW
        qTeUG/wDAgMBAAECggEABa+ooqQ2RNlcYUtF7oL2jmvq7tNI9uvBY92DfqR6gM7P
        OGgrUM+gg2yDZvEUTEnxSiVGquVtkUN7lwEIxWMihFj3voA7v73O27Ew67M4ynq5
        /Yj6zwwM2lUwTzKvOEyH7zn7pobnFlROD31hyKOtciH8U0ubD2JBN+msC1pHlNG/
        /4k5lAqMteObTdaPMKl1aFe7FxjGmPQl3CH0Fm6oh5VB26mPZOh+tX6y9LVov6sk
        Y6jxFcW1r6QYjxeoJnbwuBSfHXeNnS7MofUQxnS/FkII+jjbVqtSqUkF1vy2DtzR
        SsrdrBp6xlXcZ8INwsUBJ+3EB8LgfUdxDlO36lqYgQKBgQDLzJB4/g3nchQMOJhK
        gaSXKDSJ59P//h4xm6sY0JfLSnCIqEf0MxHGGWhfX/TxFg9IqLzIu3pfki2ikvPY
        gk68UGZjqUn1DcLBFlfdpJrlRromQw5vIbJ8o3IWfaTPnCMITXNU4zDQYb2sJypx
        umH60GL1q2d9Ziqknj6a8ArDgwKBgQDH9Hh8pjEi4m0hRekWkR8CDdCZNN48JExX
        CbpwxKYRBtpqlWHAOhVWcl9A25/G82XzqN1bs13QmgbUqOo/IvC/O9eq2EhPTDS/
        T20cFiKtBFY2DkC5cidqp+uhRC+haDZ60m5ZmYfCblbN/I2RTjgtJizHu00XuJ9Y
        RF/Lwf39gQKBgGEuO9omM1UhNeQZ/KzSozydJGh6TsJsV9OKCo17slZzObRAoocU
        7y3KodWQ+UkZHtKj+9mwZIs8NlymvHaKtKbho+F0MVsUY8EVOXLschxQnKVwJmrh
        463Bdr64zSVeq+ninNNmvrkvUnXL+1Zd7Sjfw8CoKmJGnKEBAJN7UXanAoGAHN5o
        /uYntfem9eTYEFAHgA5qjZQaeehrtS1MY7egmli49CZ5JH2+UurUYdLTsK+3ioRY
        4UJ2SwXR8qYom9D5nUKQkrQDTJ+eBfj7sdBoVT6JC+jm419d3YI8/N2RWuZm5zi2
        ge0usp2nnrnV3qLCbZJTaMrcCI65Qs8sXYi2mQECgYBdN3S2/sx8uC3hM4wSPFtz
        IVYlqht2hAnsUqqIHDk2tMXjfDyzHR3/0nKPJrXpSRdL4EeeVHWspXqTc8sFvEFn
        bnAlrtxoDNNgoAu2ssnqiIbAFlMpu2sI1iy196cyvrw1cnkz0/+RZnTsMt9Bi6u/
        vrocAbKHpIJie5MieeCUBA==
        -----END PRIVATE KEY-----
        """

    /// The same key as PKCS#1.
    static let rsaPKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEogIBAAKCAQEAny6jMt/raXdiGAghADm1gyjFxBxiZByiv23V0bd6lb/vSvFi
        Hgd4sCUyfdgmJ9e8jSaWR/n5vs6iu640QXrJQtlduUVWqLTixDhSnz6rio0nA0JS
        yF3i5LV/evdQ0+wGtGkGjNJBLNKbUZUuNCaZOwS76QdJWAt8ssE+ygiYXO5gxb5K
        WhnhykTu+yiCWMDx9xc71MhKZ90PXMjStw702E648n+dywUJaIJ5LxBFMGGsh3Or
        xh2ZHD78Rop1UCIUsSlqog+z+jglJAJzbcoHudt3Q7/mwBC/3dCsSEWjZmm5taBm
        gwHThere3ClSOlmeLxmqSSPFziJTlqk3lBv8AwIDAQABAoIBAAWvqKKkNkTZXGFL
        Re6C9o5r6u7TSPbrwWPdg36keoDOzzhoK1DPoINsg2bxFExJ8UolRqrlbZFDe5cB
        CMVjIoRY976AO7+9ztuxMOuzOMp6uf2I+s8MDNpVME8yrzhMh+85+6aG5xZUTg99
        YcijrXIh/FNLmw9iQTfprAtaR5TRv/+JOZQKjLXjm03WjzCpdWhXuxcYxpj0Jdwh
        9BZuqIeVQdupj2TofrV+svS1aL+rJGOo8RXFta+kGI8XqCZ28LgUnx13jZ0uzKH1
        EMZ0vxZCCPo421arUqlJBdb8tg7c0UrK3awaesZV3GfCDcLFASftxAfC4H1HcQ5T
        t+pamIECgYEAy8yQeP4N53IUDDiYSoGklyg0iefT//4eMZurGNCXy0pwiKhH9DMR
        xhloX1/08RYPSKi8yLt6X5ItopLz2IJOvFBmY6lJ9Q3CwRZX3aSa5Ua6JkMObyGy
        fKNyFn2kz5wjCE1zVOMw0GG9rCcqcbph+tBi9atnfWYqpJ4+mvAKw4MCgYEAx/R4
        fKYxIuJtIUXpFpEfAg3QmTTePCRMVwm6cMSmEQbaapVhwDoVVnJfQNufxvNl86jd
        W7Nd0JoG1KjqPyLwvzvXqthIT0w0v09tHBYirQRWNg5AuXInaqfroUQvoWg2etJu
        WZmHwm5WzfyNkU44LSYsx7tNF7ifWERfy8H9/YECgYBhLjvaJjNVITXkGfys0qM8
        nSRoek7CbFfTigqNe7JWczm0QKKHFO8tyqHVkPlJGR7So/vZsGSLPDZcprx2irSm
        4aPhdDFbFGPBFTly7HIcUJylcCZq4eOtwXa+uM0lXqvp4pzTZr65L1J1y/tWXe0o
        38PAqCpiRpyhAQCTe1F2pwKBgBzeaP7mJ7X3pvXk2BBQB4AOao2UGnnoa7UtTGO3
        oJpYuPQmeSR9vlLq1GHS07Cvt4qEWOFCdksF0fKmKJvQ+Z1CkJK0A0yfngX4+7HQ
        aFU+iQvo5uNfXd2CPPzdkVrmZuc4toHtLrKdp5651d6iwm2SU2jK3AiOuULPLF2I
        tpkBAoGAXTd0tv7MfLgt4TOMEjxbcyFWJaobdoQJ7FKqiBw5NrTF43w8sx0d/9Jy
        jya16UkXS+BHnlR1rKV6k3PLBbxBZ25wJa7caAzTYKALtrLJ6oiGwBZTKbtrCNYs
        tfenMr68NXJ5M9P/kWZ07DLfQYurv766HAGyh6SCYnuTInnglAQ=
        -----END RSA PRIVATE KEY-----
        """

    /// RSA of 1024 bits.
    static let rsaSmall = """
        -----BEGIN PRIVATE KEY-----
        MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAOaAIO6L2vwQlkfa
        dHvvPxrOw7wGLNTulSOpac/kmttKGBPcfpW3umxemTa3gBd9uUX6ZX8ImK3qzrSU
        9qMrPM7we5X0foRDnz/uF/BQuQevcM7IOe1zYEF3XHmadD0vPuoev+/An8M4obfG
        pg1z1NBMyMJRlnn/PEM8znpa90nFAgMBAAECgYBFiWPl8yUmI+7iUGIRvXRhJv1f
        rNE7j5pIfuRgBkw9WZX37+30RtAjv0ojeqpW6+PH26lg8Hv3A75GNiZNxU57YMuK
        yj9GfiJxR1j8MgopxPR5ZGlNaQtuHcsJkSnazDIXgZOh0b5jhcRhZdsapCosGJXB
        TdTI7sQ843Uw6df7JQJBAP9WFHIQ7Fx8XzBAM40KJAlZ1PRPg+jZ2PvzExxALroC
        eSsxufzw5KPJizQE7EEwa33R0NmM1OLZA8/P3tAh5IMCQQDnGYVsLqEd4d9Omc/P
        mpa/X+IOaCsFviKmNCcH7bI2wx6yBcg0TejSTFFeYG8KDUIi27o5WqBdXB4jxWkL
        LZYXAkBbj7WjNbhcbekAd3VE9Ub453K67SyjOkNaDc9jiQx4fVyQBbPpJUUICsTV
        MZK6ya8yHiQjbyID+sgoJCWFQzIbAkEAmdqM0CQPEaThlSOjjVQezlPYXL0O/2jB
        CqOn5Ihj4D9wvRZKXkAMI425kjpjUm7XO/vK9AoYv27nhesUbuOviwJAWLw90WPB
        IiW53szifJbwbvkjsstLEXR8t7zkYBAZ5NVnY/XRQDinOGi8SPGZ3VLD7PFv4jQ4
        a+lCvsoUDaY1bA==
        -----END PRIVATE KEY-----
        """

    /// P-256 as SEC 1.
    static let ecSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIOs9Rjk6xqBj67nEq7obTYaozjPaXJ2sy30VVkUaf48noAoGCCqGSM49
        AwEHoUQDQgAE3X3pjUNEFWWxvSxe8VWDQnk/gq/maXYZoVifzK3+kCYEGZO/4McR
        WXNTB8IowSFCIKB67c4qhk5eECOy4TouGw==
        -----END EC PRIVATE KEY-----
        """

    /// The same key as PKCS#8 under a password.
    static let ecEncrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg5YPjh/G+pjwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEBdB1vZ/VB9x/30kLu9ebqsEgZBI
        K/03zrIdiBlq/glWJaYIiep2PjoQOqe3d4NFKkoGYxrwjh9clPQbIPyo29EtCyoa
        t0VD2ay2Ep3vDakZCREy1VpPtNsEx873jMQbfN0ECc65cp4gMQC/XcOP/qZ3efMG
        Y/hiaQLbvPTXZ9JWRl6PeAoeTtVgoO+DFgECNfWbSSa3n0ZQD1okEFl8rp0l99Y=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The public half alone.
    static let ecPublic = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3X3pjUNEFWWxvSxe8VWDQnk/gq/m
        aXYZoVifzK3+kCYEGZO/4McRWXNTB8IowSFCIKB67c4qhk5eECOy4TouGw==
        -----END PUBLIC KEY-----
        """

    /// A curve that we do not use.
    static let p521 = """
        -----BEGIN EC PRIVATE KEY-----
        MIHcAgEBBEIB8nACIYgv+sNSZdqf2wx+xLwcqNEFsa6REAhLu8wt5Jifti/VkFL7
        2uru6cQ6Bi51q87UAiW0LHjNm1Q7tHdrXtCgBwYFK4EEACOhgYkDgYYABAGkLrIA
        KtDzWNwn7GltyjtdXXFIUlre8tqyf/8v60PV+J8bmbalvV1SnANZKliCxzMGnZmQ
        +WHlPTXTYOT/skq+lgCFJeCNIpV1syuuKhTKCzMQYQ+e6NkCQvEkWPeOyEohx2Ae
        5SCGkY0wZEqxEPiL2hIUzkxhB2ySnrOboher3Am7yQ==
        -----END EC PRIVATE KEY-----
        """

    /// Another curve that we do not use.
    static let secp256k1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHQCAQEEIKkbMAgYBMGzc07Wl0OnQ5zrN2sD9/wznDliUkUOZPA3oAcGBSuBBAAK
        oUQDQgAEMDJTlTDYcCMOv1NlaJuQ1g4jVI0qFLHd/3I7Xok7eNpTW+1hJSWF7zo6
        jMVnFkO9mjIvCdMQ9DBOuFoMvdiaBQ==
        -----END EC PRIVATE KEY-----
        """

    /// Ed25519 as PKCS#8.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIA3msw3xSp1P8BlTgWyz3CKSRsUqjEuXYPQ8Uo1eHgpX
        -----END PRIVATE KEY-----
        """

    /// Ed448, which we do not use.
    static let ed448 = """
        -----BEGIN PRIVATE KEY-----
        MEcCAQAwBQYDK2VxBDsEOUHvCr35boIIFC6f5ysnkXR1YdZLdm2pSACMsYV7zuDM
        Wl1guzAk/GSw1q6t2JV+iEyHjwazzmC/Ng==
        -----END PRIVATE KEY-----
        """
}
