// Prints the Go shape of core/v1 PodTemplateSpec and all it reaches: per type its fields in declaration order with
// their Go type and JSON key. The hash in the names of ReplicaSets is taken over a dump of exactly this shape.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// field is [Go name, Go type text, JSON key]; the key is empty for embedded structs.
type field [3]string

// opaque types are dumped by rules of their own.
var opaque = map[string]bool{"v1.Time": true, "intstr.IntOrString": true, "resource.Quantity": true, "v1.FieldsV1": true}

func main() {
	types := map[string][]field{}
	walk(reflect.TypeOf(corev1.PodTemplateSpec{}), types)
	if err := json.NewEncoder(os.Stdout).Encode(types); err != nil {
		panic(err)
	}
}

func walk(t reflect.Type, types map[string][]field) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		walk(t.Elem(), types)
		return
	case reflect.Map:
		walk(t.Elem(), types)
		return
	case reflect.Struct:
	default:
		return
	}
	name := t.String()
	if opaque[name] {
		return
	}
	if _, seen := types[name]; seen {
		return
	}
	types[name] = nil
	var fields []field
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, field{f.Name, typeText(f.Type), key})
		walk(f.Type, types)
	}
	types[name] = fields
}

// typeText is the type as Go prints it, followed by its kind where the name hides it.
func typeText(t reflect.Type) string {
	if t.PkgPath() != "" && t.Kind() != reflect.Struct {
		return t.String() + " " + t.Kind().String()
	}
	if t.Kind() == reflect.Pointer && t.Elem().PkgPath() != "" && t.Elem().Kind() != reflect.Struct {
		return t.String() + " " + t.Elem().Kind().String()
	}
	if t.Kind() == reflect.Slice && t.Elem().PkgPath() != "" && t.Elem().Kind() != reflect.Struct {
		return t.String() + " " + t.Elem().Kind().String()
	}
	return t.String()
}
