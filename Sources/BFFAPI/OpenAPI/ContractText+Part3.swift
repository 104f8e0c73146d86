// swift-format-ignore-file
// Written by scripts/embed-contract from openapi/openapi.yaml: change that file and run `make openapi`.

extension ContractText {
    static let part3 = ####"""
      additionalProperties: false
      required: [id, type, outputs, raw]
      properties:
        id: { type: string }
        type:
          type: string
          not:
            enum: [NameCallback, PasswordCallback, TextInputCallback, TextOutputCallback, ChoiceCallback,
              ConfirmationCallback, HiddenValueCallback, ValidatedCreateUsernameCallback,
              ValidatedCreatePasswordCallback]
        outputs: { type: object }
        raw: { type: object }
    FailedPolicy:
      type: object
      required: [policyRequirement]
      properties:
        policyRequirement: { type: string }
        params: { type: object }
    TextAnswer:
      type: object
      additionalProperties: false
      required: [type]
      properties:
        type: { const: string }
    SecretAnswer:
      type: object
      additionalProperties: false
      required: [type, writeOnly]
      properties:
        type: { const: string }
        writeOnly: { const: true }

    Problem:
      description: A problem document (RFC 9457).
      type: object
      additionalProperties: false
      required: [type, title, status, detail, instance]
      properties:
        type: { $ref: '#/components/schemas/ProblemType' }
        title: { type: string }
        status: { type: integer, minimum: 400, maximum: 599 }
        detail: { type: string }
        instance: { type: string, description: The request id. }
        retryAfter: { type: integer, minimum: 1, description: Seconds. }
        fields: { type: array, items: { $ref: '#/components/schemas/Field' } }
        node: { $ref: '#/components/schemas/Node' }
    ProblemType:
      enum:
        - /problems/malformed
        - /problems/duplicate-cookie
        - /problems/signed-out
        - /problems/csrf
        - /problems/interaction-needed
        - /problems/not-found
        - /problems/unknown-instance
        - /problems/method-not-allowed
        - /problems/request-timeout
        - /problems/session-changed
        - /problems/stale-step
        - /problems/step-in-progress
        - /problems/subject-changed
        - /problems/too-many-accounts
        - /problems/flow-expired
        - /problems/body-too-large
        - /problems/target-too-long
        - /problems/unsupported-media-type
        - /problems/expectation-failed
        - /problems/misdirected-request
        - /problems/invalid-answers
        - /problems/not-allowed
        - /problems/too-many-requests
        - /problems/headers-too-large
        - /problems/internal-error
        - /problems/unsupported-transfer-coding
        - /problems/provider-refused
        - /problems/busy
        - /problems/interrupted
        - /problems/provider-unavailable
        - /problems/stopping
        - /problems/store-unavailable
        - /problems/deadline-exceeded
        - /problems/unsupported-version
    Field:
      type: object
      additionalProperties: false
      required: [id, code, message]
      properties:
        id: { type: string, description: The member of the request or the question. }
        code: { type: string, pattern: '^[a-z]+(-[a-z]+)*$' }
        message: { type: string, description: For the developer. }

    Health:
      type: object
      additionalProperties: false
      required: [status]
      properties:
        status: { enum: [ok, ready] }

"""####
}
