import StorageKit

@testable import BFF

extension RevocationQueue {
    /// Everything that waits.
    func waiting() async throws(StoreError) -> [Job] {
        var jobs: [Job] = []
        for place in places { jobs += try await waiting(at: place) }
        return jobs
    }
}
