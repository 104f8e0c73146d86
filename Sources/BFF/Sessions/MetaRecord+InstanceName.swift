import Sessions

extension MetaRecord {
    /// The flows in progress of an instance.
    func flows(of instance: InstanceName) -> [FlowEntry] {
        flows.filter { $0.client == instance.client && $0.account == instance.account }
    }
}
