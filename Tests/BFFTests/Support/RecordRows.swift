import Basics
import TestSupport
import Testing

@testable import BFF
@testable import Orchestrate
@testable import Sessions

/// One type of record: a value, and the bytes that a server of this version has stored for it.
///
/// `ArchitectureTests` finds each conformance to `RecordCodable` and asks for a row.
struct RecordRow: Sendable, CustomTestStringConvertible {
    let name: String
    let versions: ClosedRange<UInt8>
    let encoded: [UInt8]
    /// Nil for a further value of a type that has a sample.
    let sample: [UInt8]?
    /// Whether bytes are read as the value.
    let isRead: @Sendable ([UInt8]) throws(RecordError) -> Bool

    init<Record: RecordCodable>(
        _ name: String, _ value: Record, _ sample: String?, by same: @escaping @Sendable (Record, Record) -> Bool
    ) {
        precondition("\(Record.self)".hasPrefix(name), "a row has the name of its type")
        self.name = name
        versions = Record.oldestVersion...Record.version
        encoded = value.encoded
        self.sample = sample.map { [UInt8](hex: $0) }
        isRead = { bytes throws(RecordError) in same(try Record(decoding: bytes), value) }
    }

    init<Record: RecordCodable & Equatable>(_ name: String, _ value: Record, _ sample: String? = nil) {
        self.init(name, value, sample) { $0 == $1 }
    }

    init<Value: FlowValue & Equatable>(_ name: String, _ value: FlowValueRecord<Value>, _ sample: String) {
        self.init(name, value, sample) { $0.value == $1.value }
    }

    var testDescription: String { name }
}

extension RecordRow {
    /// The bytes were taken from the server, by the code that wrote them first; a form that changes gets another version,
    /// and its former sample a place in `FormerRecordTests`.
    static let all: [RecordRow] = {
        var rows: [RecordRow] = []
        rows.append(
            RecordRow(
                "TokenSet", RecordSamples.tokens,
                """
                020a006163636573732dc3a4010642656172657201080072656672657368010300696402066f70656e69640770726f66696c65f6a1d5
                edee660180da8cf1ee662368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c706861036266660a287573
                722164656d6f290104676f6c640203707764036f747001cf0f01060103732d3100
                """))
        rows.append(
            RecordRow(
                "Authorization", RecordSamples.authorization,
                """
                012368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c706861036266661c68747470733a2f2f6170702e
                6578616d706c652e636f6d2f636f64653168747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c7068612f61
                7574686f72697a653f613d6204706f737424636c69656e745f69643d6266662673636f70653d6f70656e696425323070726f66696c65
                027374016e04762dc3a40104676f6c640180a0d5edee6601b6ab0780a0d5edee6601
                """))
        rows.append(
            RecordRow(
                "SSOSession", RecordSamples.session,
                """
                0106742e2ac39f2a0b2f616d2f636f6e736f6c65062f616c706861f6a1d5edee66020a616d6c62636f6f6b69650230310e616d2e6578
                616d706c652e636f6d01012f0101c0c9dcedee6605726f7574650322c3bc0b6578616d706c652e636f6d00032f616d0000
                """))
        rows.append(
            RecordRow(
                "DaVinciSession", RecordSamples.davinciSession,
                """
                0203732e31010400682e70020a616d6c62636f6f6b69650230310e616d2e6578616d706c652e636f6d01012f0101c0c9dcedee660572
                6f7574650322c3bc0b6578616d706c652e636f6d00032f616d0000
                """))
        rows.append(
            RecordRow(
                "FlowState", RecordSamples.position,
                """
                01010c7b2270616765223a312e307d0404666c6167047e4167450f6a6f75726e65792e6f7074696f6e73297e417741465447396e6157
                34424141454259514c446e7749455a3239735a414143416d526c416d5675046c697374115b225c75303030305c2278222c222f225d13
                6f726368657374726174652e636f6f6b696573607e4151494b59573173596d4e76623274705a5149774d5135686253356c6547467463
                47786c4c6d4e76625145424c774542774d6e633765356d42584a766458526c41794c447641746c654746746347786c4c6d4e76625141
                444c324674414141
                """))
        rows.append(
            RecordRow(
                "FlowValueRecord", FlowValueRecord(true),
                """
                0201
                """))
        rows.append(
            RecordRow(
                "FlowValueRecord", FlowValueRecord(RecordSamples.options),
                """
                0300054c6f67696e010001016102c39f0204676f6c64000202646502656e
                """))
        rows.append(
            RecordRow(
                "FlowValueRecord", FlowValueRecord(RecordSamples.cookies),
                """
                01020a616d6c62636f6f6b69650230310e616d2e6578616d706c652e636f6d01012f0101c0c9dcedee6605726f7574650322c3bc0b65
                78616d706c652e636f6d00032f616d0000
                """))
        rows.append(
            RecordRow(
                "UserFacts", RecordSamples.facts,
                """
                020673f09f98805c012f7b226e223a312e31302c226f223a7b2278223a5b312c6e756c6c2c747275655d7d2c22636c61696d73223a22
                79227d01207b227265616c6d223a222f61222c227375636365737355726c223a222f78227d020361226201630104676f6c6402037077
                64036f747001050180a0d5edee66
                """))
        rows.append(RecordRow("UserFacts", RecordSamples.flowFacts))
        rows.append(
            RecordRow(
                "UserRecord", RecordSamples.user,
                """
                03010180a0d5edee6601c0f6cdedee660180a0d5edee660180f10480a0d5edee66000180a0d5edee667a020673f09f98805c012f7b22
                6e223a312e31302c226f223a7b2278223a5b312c6e756c6c2c747275655d7d2c22636c61696d73223a2279227d01207b227265616c6d
                223a222f61222c227375636365737355726c223a222f78227d020361226201630104676f6c640203707764036f747001050180a0d5ed
                ee6607017b00
                """))
        rows.append(
            RecordRow(
                "ProofRecord", RecordSamples.proof,
                """
                0201000106426561726572000000f6a1d5edee66002368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c
                706861036266660a287573722164656d6f290104676f6c640203707764036f747001cf0f01060000
                """))
        rows.append(
            RecordRow(
                "MetaRecord", RecordSamples.meta,
                """
                0180a0d5edee6680f09089ef66070110746f6b656e2f6a6f75726e65792f732f087374616e64617264001273657373696f6e2f6a6f75
                726e65792f732f2368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c70686102c3bc80a0d5edee6601c0
                8ec3eeee660007011273657373696f6e2f6a6f75726e65792f732f087374616e64617264002368747470733a2f2f616d2e6578616d70
                6c652e636f6d2f6f61757468322f616c70686102c3bc0118665f41414141414141414141414141414141414141414141087374616e64
                61726405616c69636580a0d5edee6680bf9eeeee66
                """))
        rows.append(
            RecordRow(
                "RotationRecord", RecordSamples.change,
                """
                0101087469636b65743a61087469636b65743a6280a0d5edee66c0d8d7edee6602046d65746101280102030405060708090a0b0c0d0e
                0f101112131415161718191a1b1c1d1e1f20212223242526272810746f6b656e2f6a6f75726e65792f732f000118665f414141414141
                41414141414141414141414141414141020f010003010203087374616e646172640a010101040561646d696e
                """))
        rows.append(
            RecordRow(
                "TicketClaims", RecordSamples.claims,
                """
                0201030180a0d5edee6601016380a0d5edee66c0d8d7edee66
                """))
        rows.append(
            RecordRow(
                "Revocable", RecordSamples.revocable,
                """
                010003010203087374616e64617264
                """))
        rows.append(
            RecordRow(
                "HeldRevocation", RecordSamples.held,
                """
                020f010003010203087374616e6461726480a0d5edee66204bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785
                459a1d666c6f772f665f414141414141414141414141414141414141414141410b636f6e6669726d65642f61
                """))
        rows.append(
            RecordRow(
                "FlowRecord", RecordSamples.flow,
                """
                0818665f41414141414141414141414141414141414141414141087374616e6461726405616c6963650301020380a0d5edee6680bf9e
                eeee66200708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526030120090a0b0c0d0e0f1011121314151617
                18191a1b1c1d1e1f20212223242526272890dfdaedee66e00101010c7b2270616765223a312e307d0404666c6167047e4167450f6a6f
                75726e65792e6f7074696f6e73297e417741465447396e615734424141454259514c446e7749455a3239735a414143416d526c416d56
                75046c697374115b225c75303030305c2278222c222f225d136f726368657374726174652e636f6f6b696573607e4151494b59573173
                596d4e76623274705a5149774d5135686253356c654746746347786c4c6d4e76625145424c774542774d6e633765356d42584a766458
                526c41794c447641746c654746746347786c4c6d4e76625141444c32467441414101809dd6edee660101740101020101046869676801
                04686967682368747470733a2f2f616d2e6578616d706c652e636f6d2f6f61757468322f616c70686102c3bc01062f6170692f780103
                742d3120030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122267b225472616e73616374696f6e436f6e64
                6974696f6e416476696365223a5b22742d31225d7d01024e6f075b2261222c315d0102200102030405060708090a0b0c0d0e0f101112
                131415161718191a1b1c1d1e1f2002017a020673f09f98805c012f7b226e223a312e31302c226f223a7b2278223a5b312c6e756c6c2c
                747275655d7d2c22636c61696d73223a2279227d01207b227265616c6d223a222f61222c227375636365737355726c223a222f78227d
                020361226201630104676f6c640203707764036f747001050180a0d5edee6601080a0b80a0d5edee66012005060708090a0b0c0d0e0f
                101112131415161718191a1b1c1d1e1f202122232403010501020304058d01020a006163636573732dc3a40106426561726572010800
                72656672657368010300696402066f70656e69640770726f66696c65f6a1d5edee660180da8cf1ee662368747470733a2f2f616d2e65
                78616d706c652e636f6d2f6f61757468322f616c706861036266660a287573722164656d6f290104676f6c640203707764036f747001
                cf0f01060103732d3100010d7b226e616d65223a22c3bc227d02c3bc0102c3bc012368747470733a2f2f616d2e6578616d706c652e63
                6f6d2f6f61757468322f616c7068610175011f0668656c642f610b636f6e6669726d65642f61
                """))
        rows.append(
            RecordRow(
                "StepUpChallenge", RecordSamples.challenge,
                """
                0304686967680204676f6c6400062f6170692f78016902c3bc0103742d3120030405060708090a0b0c0d0e0f10111213141516171819
                1a1b1c1d1e1f202122267b225472616e73616374696f6e436f6e646974696f6e416476696365223a5b22742d31225d7d
                """))
        rows.append(
            RecordRow(
                "StepUpAttempts", RecordSamples.attempts,
                """
                030111616c6963650a2f6170692f780a6869676880a0d5edee66030002062f6170692f79000104676f6c640103742d31200304050607
                08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222368747470733a2f2f616d2e6578616d706c652e636f6d2f6f6175
                7468322f616c70686102c3bc80a0d5edee66062f6170692f7a05616c6963650000
                """))
        rows.append(RecordRow("UserFacts", UserFacts(subject: "")))
        rows.append(RecordRow("Revocable", Revocable.session([], "")))
        rows.append(RecordRow("FlowState", FlowState()))
        rows.append(RecordRow("StepUpAttempts", StepUpAttempts()))
        rows.append(
            RecordRow(
                "DeparturesRecord", RecordSamples.departures,
                """
                020301087374616e6461726405616c69636518665f41414141414141414141414141414141414141414141030101740103732d31
                80a0d5edee660201020102
                """))
        rows.append(
            RecordRow(
                "ArrivalRecord", RecordSamples.arrival,
                """
                02087374616e646172640380a0d5edee660104636f64650163
                """))
        rows.append(
            RecordRow(
                "SignInList", RecordSamples.signIns,
                """
                0180a0d5edee661046697265666f78206f6e204c696e7578010210746f6b656e2f6a6f75726e65792f732f0f75736572
                2f6a6f75726e65792f732f087374616e6461726405616c69636504010203040405060708b090d5edee6680a0d5edee6601
                """))
        rows.append(
            RecordRow("EndedParts", EndedParts(["session/a", "token/a"]), "01020973657373696f6e2f6107746f6b656e2f61"))
        rows.append(
            RecordRow(
                "DeviceRecord", RecordSamples.device,
                """
                010545533235368a017b226b7479223a224543222c22637276223a22502d323536222c2278223a224d4b4243544e49634b55
                5344696931317953733335323669445a384169546f375475364b50417176374434222c2279223a223445746c365352573259
                694c55724e35766676564875687037783850786c746d57576c62624d344946794d222c22757365223a22736967227d80a0d5
                edee66
                """))
        var bound = RecordSamples.claims
        bound.isBound = true
        rows.append(RecordRow("TicketClaims", bound))
        rows.append(RecordRow("EndMark", EndMark(until: RecordSamples.now), "0180a0d5edee66"))
        var code = PlaceholderCode(
            session: [1, 2], instance: "standard", request: PlaceholderRequest(redirectURI: "r", challenge: "c"))
        code.isUsed = true
        rows.append(
            RecordRow("PlaceholderCode", code, "01020102087374616e646172640101720101630001"))
        rows += RecordSamples.ends.map { RecordRow("FlowRecord", $0) }
        return rows
    }()
}
