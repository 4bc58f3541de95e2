package secret

import (
	"os"
	"strings"
)

// endings of the names of variables whose values are secrets.
var endings = []string{
	"_API_KEY", "_APIKEY", "_API_KEYS", "_TOKEN", "_TOKENS", "_SECRET", "_SECRETS", "_SECRET_KEY", "_ACCESS_KEY", "_PRIVATE_KEY", "_AUTH_KEY",
	"_SIGNING_KEY", "_ENCRYPTION_KEY", "_MASTER_KEY", "_PASSWORD", "_PASSWD", "_PASSPHRASE", "_PAT", "_CREDENTIALS_JSON", "_SECRET_ACCESS_KEY",
}

// secretNames are variables that are secrets, or lead to them, without such an ending.
var secretNames = map[string]bool{
	"API_KEY": true, "APIKEY": true, "TOKEN": true, "SECRET": true, "PASSWORD": true, "PGPASSWORD": true, "MYSQL_PWD": true, "REDISCLI_AUTH": true,
	"AWS_ACCESS_KEY_ID": true, "AWS_CONTAINER_CREDENTIALS_FULL_URI": true, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": true,
	"AZURE_STORAGE_CONNECTION_STRING": true, "NPM_CONFIG__AUTH": true, "DOCKER_AUTH_CONFIG": true, "SSHPASS": true, "BW_SESSION": true,
}

// providers whose variables are secrets where they end in _KEY as well.
var providers = []string{
	"OPENAI_", "AZURE_", "ANTHROPIC_", "CLAUDE_", "GEMINI_", "GOOGLE_", "OLLAMA_", "MISTRAL_", "GROQ_", "OPENROUTER_", "XAI_", "DEEPSEEK_", "COHERE_",
	"TOGETHER_", "FIREWORKS_", "PERPLEXITY_", "MOONSHOT_", "DASHSCOPE_", "ZAI_", "CEREBRAS_", "WEFT_", "STRIPE_", "HF_",
}

// Variable reports whether the value of an environment variable is a secret, by its name. Commands need the others:
// what only says where a secret is (SSH_AUTH_SOCK, AWS_PROFILE, GOOGLE_APPLICATION_CREDENTIALS) is none.
func Variable(name string) bool {
	name = strings.ToUpper(name)
	if secretNames[name] {
		return true
	}
	for _, ending := range endings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	if strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_KEYS") {
		for _, p := range providers {
			if strings.HasPrefix(name, p) {
				return true
			}
		}
	}
	return false
}

// Split parts an environment, in the form of os.Environ, into what commands may have and the secrets: variables that
// have the name of one, and those whose value r knows. r may be nil.
func Split(env []string, r *Redactor) (plain, secrets []string) {
	plain = make([]string, 0, len(env))
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && (Variable(name) || r.Knows(value)) {
			secrets = append(secrets, pair)
		} else {
			plain = append(plain, pair)
		}
	}
	return plain, secrets
}

// Environ returns the environment of this process without the secrets.
func Environ() []string {
	plain, _ := Split(os.Environ(), nil)
	return plain
}

// Telling reports whether the value of a variable is worth hiding in texts: "disabled" and "1" are not, whatever the
// variable is called.
func Telling(value string) bool {
	const longWord = 20
	if len(value) < shortestPrinted {
		return false
	}
	return len(value) >= longWord || strings.ContainsAny(value, "0123456789")
}
