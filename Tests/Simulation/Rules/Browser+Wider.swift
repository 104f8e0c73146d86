/// The rules of wider worlds.
extension Browser {
    /// New tokens that were asked for are new: the provider gave some while they were waited for.
    func judgeRenewed(_ instance: Instance, _ sent: Sent) {
        world.record.count(.check, "a renewal that was asked for")
        // A renewal under way is shared, also in the moment between the provider's answer and its place in the store.
        let slack = mix.storeSlow > 0 ? Duration.seconds(10) : .seconds(1)
        guard let last = cluster.ledger.lastTokens(of: users(instance), at: instance.client),
            last >= sent.began - slack
        else { return world.fail(.notRenewed, "\(sent.id) renews \(instance), and the provider gave nothing") }
    }
}
