internal import Basics
internal import COpenSSL

/// Random bytes fit for keys.
package enum SecureRandom {
    /// Random bytes from OpenSSL's generator, which is seeded by the kernel.
    ///
    /// Ends the process when the generator fails: nothing that follows would be secret.
    ///
    /// - Parameter count: How many bytes, 0 or more.
    /// - Returns: As many bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        FetchedAlgorithm.initialiseLibrary
        return [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            guard count == 0 || RAND_bytes_ex(nil, out.baseAddress, count, 256) == 1 else {
                fatalError("the random generator failed")
            }
            filled = count
        }
    }

    /// Random bytes that others will see, as ids of traces; at most 768.
    ///
    /// Of the same generator, which is asked for many at a time: while they wait, they lie in memory.
    package static func publicBytes(_ count: Int) -> [UInt8] {
        ThreadContexts.current.withFreshBytes(count) { Array($0) }
    }

    /// A random text: base64url without padding of `count` random bytes.
    ///
    /// 16 bytes give 22 characters, 32 give 43.
    package static func token(_ count: Int) -> String {
        Base64URL.encode(bytes(count))
    }
}
