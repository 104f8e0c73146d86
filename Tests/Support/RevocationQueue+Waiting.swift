package import Sessions
package import StorageKit

extension RevocationQueue {
    /// The jobs that wait in all hashes.
    package func waiting() async throws(StoreError) -> [Job] {
        var jobs: [Job] = []
        for place in places { jobs += try await waiting(at: place) }
        return jobs
    }
}
