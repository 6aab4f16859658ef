//go:build ignore

// Decodes the documents of a file by the types of the Kubernetes API, and takes no member that they don't have.
package main

import (
	"fmt"
	"os"
	"strings"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	for _, document := range strings.Split(string(data), "\n---\n") {
		var head struct{ APIVersion, Kind string }
		if err == nil {
			err = yaml.Unmarshal([]byte(document), &head)
		}
		into := map[string]any{"v1 Secret": &core.Secret{}, "v1 Service": &core.Service{}, "apps/v1 Deployment": &apps.Deployment{},
			"policy/v1 PodDisruptionBudget": &policy.PodDisruptionBudget{}}[head.APIVersion+" "+head.Kind]
		if err == nil {
			err = yaml.UnmarshalStrict([]byte(document), into)
		}
		if err != nil {
			fmt.Println(head, err)
			os.Exit(1)
		}
	}
}
