package sanitize

// phraseText is a phrase as people write it down, see [parsePhrase].
type phraseText struct {
	cause    Cause
	text     string
	needsURL bool
}

// phrases are what steering text is made of, in English.
func phrases() []phraseText {
	return []phraseText{
		{cause: CauseOverride, text: "ignore|disregard|forget|bypass|override|neglect|discard 2 previous|prior|earlier|preceding|above|former|foregoing 2 instruction*|rule|rules|guideline*|prompt*|direction*|directive*|polic*|command|commands|constraint*|message*|context"},
		{cause: CauseOverride, text: "ignore|disregard|forget|bypass|override|neglect|discard|violate 2 all|any|your|existing|original|other|system|safety 2 instruction*|guideline*|prompt|prompts|directive*|guardrail*|safeguard*"},
		{cause: CauseOverride, text: "ignore|disregard|forget everything|all|anything 2 above|before|previous*|said|told|earlier"},
		{cause: CauseOverride, text: "not|dont|never|stop 1 follow|following|obey|obeying 2 instruction*|guideline*|system|previous|your"},
		{cause: CauseOverride, text: "your 1 real|true|actual|new|secret instruction*|task|goal|objective|mission"},
		{cause: CauseOverride, text: "new|updated|real system instruction*|prompt"},
		{cause: CauseOverride, text: "overrides|supersedes|replaces|overriding|superseding 2 previous|prior|earlier|system|all|other|your 1 instruction*|rule|rules|prompt*|guideline*"},

		{cause: CauseSecrecy, text: "not|dont|never|cannot|mustnt 1 tell|inform|mention|reveal|disclose|notify|alert|warn 4 user|human|humans|anyone|anybody|developer|operator|reviewer|maintainer|owner|person"},
		{cause: CauseSecrecy, text: "without 1 telling|informing|notifying|alerting|warning 2 user|users|human|humans|anyone|anybody|them|him|her|us|developer|reviewer|maintainer"},
		{cause: CauseSecrecy, text: "keep|keeping this|it|that|these 1 secret|hidden|concealed|confidential 1 from"},
		{cause: CauseSecrecy, text: "keep this|it secret"},
		{cause: CauseSecrecy, text: "hide|conceal|withhold 3 from 1 user|users|human|humans|reviewer*|developer|operator|anyone|everyone"},
		{cause: CauseSecrecy, text: "user|human|developer|reviewer|nobody must|should|may|can never|not|ever 1 know|learn|see|find|notice"},
		{cause: CauseSecrecy, text: "not|dont|never 1 mention|reveal|disclose|acknowledge 1 this|these|that 1 note|memory|instruction*|rule|message|prompt|entry"},

		{cause: CauseRoleClaim, text: "you are|re now 1 a|an|the|my|in|operating|acting|unrestricted|free|dan|root|admin*|developer|jailbroken"},
		{cause: CauseRoleClaim, text: "youre now 1 a|an|the|my|in|operating|acting|unrestricted|free|dan|root|admin*|developer|jailbroken"},
		{cause: CauseRoleClaim, text: "i am|im your 1 administrator|admin|developer|creator|owner|operator|supervisor|boss|user"},
		{cause: CauseRoleClaim, text: "i am|im the 1 administrator|admin|creator|owner|operator|supervisor|system"},
		{cause: CauseRoleClaim, text: "this is|comes 1 an|a|the|official 1 message|instruction*|order|directive|notice|request|update from 1 anthropic|openai|google|system|administrator*|admin|security|developers|management"},
		{cause: CauseRoleClaim, text: "anthropic|openai|administrator|administrators requires|authorizes|authorized|authorises|authorised|mandates|instructs|orders"},
		{cause: CauseRoleClaim, text: "act|behave|respond|pretend|operate 2 as 2 root|administrator|admin|dan|unrestricted|superuser"},
		{cause: CauseRoleClaim, text: "developer|god|admin|dan|jailbreak|sudo|unrestricted mode 1 enabled|activated|active"},

		{cause: CausePermission, text: "you have|ve|now 1 have|permission|full|unrestricted|root|admin|blanket 1 permission|permissions|access|authority|authorization|authorisation|rights|privileges|to"},
		{cause: CausePermission, text: "run|execute|use|install|push|merge|deploy|delete|commit|proceed|edit|write|send|do|act|continue 6 without 1 asking|confirmation|confirming|approval|permission|prompting|review"},
		{cause: CausePermission, text: "no need to ask|confirm|prompt"},
		{cause: CausePermission, text: "not|dont|never|neednt 1 ask 2 permission|confirmation|approval"},
		{cause: CausePermission, text: "not|dont|never 1 wait 1 for 1 permission|confirmation|approval|review"},
		{cause: CausePermission, text: "always|automatically|blindly approve|accept|allow|grant|trust|authorize 3 tool*|request*|permission*|command|commands|edit|edits|prompt*|everything"},
		{cause: CausePermission, text: "grant|give 2 full|unrestricted|root|admin|unlimited access|permission*|rights|privilege*|control"},
		{cause: CausePermission, text: "you are|re allowed|authorized|authorised|permitted|cleared to"},
		{cause: CausePermission, text: "user|owner|admin*|maintainer has|have 1 approved|authorized|authorised|consented|agreed|granted 2 all|any|this|every|permission|access"},
		{cause: CausePermission, text: "disable|skip|bypass|circumvent|avoid 2 permission|confirmation|approval|safety|sandbox 1 check*|prompt*|dialog*|step*|mode"},

		{cause: CauseCredentialURL, needsURL: true, text: "send|post|upload|paste|submit|forward|transmit|exfiltrate|leak|email|report|share|append|encode 6 token|tokens|key|keys|secret|secrets|password|passwords|credential|credentials|cookie|cookies|env|environment"},

		{cause: CauseImmutable, text: "never|not|dont|cannot 2 change|changed|edit|edited|edits|modify|modified|delete|deleted|remove|removed|overwrite|overwritten|alter|altered 1 this|these 1 note|entry|memory|file|rule|section|instruction*"},
		{cause: CauseImmutable, text: "this|these 1 note|entry|memory|rule|rules|instruction* 2 never|not|cannot 1 be 1 changed|edited|modified|deleted|removed|overwritten|overridden|questioned"},
		{cause: CauseImmutable, text: "takes|take|has|have highest|precedence|priority over 1 all|any|every|other|everything|system|user"},
		{cause: CauseImmutable, text: "this 1 note|entry|memory|rule|instruction* overrides|supersedes|outranks"},

		{cause: CauseInstruction, text: "always|never|must"},
		{cause: CauseCommand, text: "sudo|curl|wget|mkfs"},
		{cause: CauseCommand, text: "rm rf|fr|r"},
		{cause: CauseCommand, text: "chmod r|777|a"},
	}
}
