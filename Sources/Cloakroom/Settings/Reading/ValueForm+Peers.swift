internal import BFFAPI
internal import Basics

extension ValueForm where Value == AddressRange {
    /// A block of peers.
    static var peers: Self {
        ValueForm(expected: "an address or a block like 10.0.0.0/8") { AddressRange($0) }
    }

    /// A block of peers that is not too wide, where a network of that size cannot belong to one operator's gateways.
    static var fewPeers: Self {
        ValueForm(expected: "an address or a block like 10.0.0.0/8, not all addresses") { text in
            AddressRange(text).flatMap { $0.isTooWide ? nil : $0 }
        }
    }
}
