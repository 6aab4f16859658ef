# An app that knows its bank by name. Run by TestFixedHost: sh client.sh VERSION FILE sends the requests of the file, and
# prints the status and the HTTP version of each answer.
set -eu

bank=https://api.bank.example
tab=$(printf '\t')
while IFS=$tab read -r method path body headers; do
	[ "$body" != - ] || body=''
	printf '%s\n' "$headers" | tr '\t' '\n' >headers.txt
	curl -sS -m 10 "--http$1" -o answer.txt -w '%{http_code} %{http_version}\n' -X "$method" -H @headers.txt \
		${body:+--data-binary "$body"} "$bank$path"
done <"$2"
