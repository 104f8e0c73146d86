enum ContractText { static let yaml = "" }
