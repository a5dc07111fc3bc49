package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// typeFact describes the type of a field: exactly one of Scalar, Ref, List and Map is set.
type typeFact struct {
	Scalar string `json:"scalar,omitempty"`
	// GoType is the OpenAPI-style name of a named string, slice or map type.
	GoType string    `json:"goType,omitempty"`
	Ref    string    `json:"ref,omitempty"`
	List   *typeFact `json:"list,omitempty"`
	// Message: the slice type is a protobuf message of its own with the items in field 1.
	Message bool      `json:"message,omitempty"`
	Map     *typeFact `json:"map,omitempty"`
}

type fieldFact struct {
	Name      string   `json:"name"`
	Type      typeFact `json:"type"`
	Pointer   bool     `json:"pointer,omitempty"`
	OmitEmpty bool     `json:"omitempty,omitempty"`
	OmitZero  bool     `json:"omitzero,omitempty"`
	Proto     []int    `json:"proto,omitempty"`
	// Embedded names the Go structs the field is embedded by, outermost first; TypeMeta left out.
	Embedded      []string `json:"embedded,omitempty"`
	PatchStrategy string   `json:"patchStrategy,omitempty"`
	PatchMergeKey string   `json:"patchMergeKey,omitempty"`
}

type structFact struct {
	Fields []fieldFact `json:"fields"`
}

// leaves are the Go types that marshal themselves; the walk does not look inside.
var leaves = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):                                  "time",
	reflect.TypeOf(metav1.MicroTime{}):                             "microTime",
	reflect.TypeOf(metav1.Duration{}):                              "duration",
	reflect.TypeOf(metav1.FieldsV1{}):                              "fieldsV1",
	reflect.TypeOf(resource.Quantity{}):                            "quantity",
	reflect.TypeOf(intstr.IntOrString{}):                           "intOrString",
	reflect.TypeOf(runtime.RawExtension{}):                         "rawExtension",
	reflect.TypeOf(apiextensionsv1.JSON{}):                         "json",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}):        "jsonSchemaPropsOrBool",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}):       "jsonSchemaPropsOrArray",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}): "jsonSchemaPropsOrStringArray",

	reflect.TypeOf(apiextensionsv1beta1.JSON{}):                         "json",
	reflect.TypeOf(apiextensionsv1beta1.JSONSchemaPropsOrBool{}):        "jsonSchemaPropsOrBool",
	reflect.TypeOf(apiextensionsv1beta1.JSONSchemaPropsOrArray{}):       "jsonSchemaPropsOrArray",
	reflect.TypeOf(apiextensionsv1beta1.JSONSchemaPropsOrStringArray{}): "jsonSchemaPropsOrStringArray",
}

type walker struct {
	types map[string]*structFact
}

func newWalker() *walker {
	return &walker{types: map[string]*structFact{}}
}

// modelName is the name OpenAPI gives a Go type: the host of its import path reversed, slashes as dots.
func modelName(t reflect.Type) string {
	path := t.PkgPath()
	host, rest, found := strings.Cut(path, "/")
	if found && strings.Contains(host, ".") {
		parts := strings.Split(host, ".")
		for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
			parts[i], parts[j] = parts[j], parts[i]
		}
		path = strings.Join(parts, ".") + "/" + rest
	}
	return strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

// visit records a struct type and everything it reaches; it returns the type's name.
func (w *walker) visit(t reflect.Type) string {
	name := modelName(t)
	if _, seen := w.types[name]; seen {
		return name
	}
	fact := &structFact{Fields: []fieldFact{}}
	w.types[name] = fact
	fact.Fields = w.fields(t, nil, nil, true, name)
	names := map[string]bool{}
	for _, field := range fact.Fields {
		if names[field.Name] {
			panic(fmt.Sprintf("%s: field %s occurs twice", name, field.Name))
		}
		names[field.Name] = true
	}
	return name
}

// fields lists the JSON fields of a struct in Go order. prefix is the protobuf path to the struct, inProto whether it
// has one.
func (w *walker) fields(t reflect.Type, embedded []string, prefix []int, inProto bool, owner string) []fieldFact {
	facts := []fieldFact{}
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		tag := field.Tag.Get("json")
		if tag == "-" {
			continue
		}
		parts := strings.Split(tag, ",")
		name, options := parts[0], parts[1:]
		path, hasProto := protoPath(field, prefix, inProto, owner)
		if field.Anonymous && name == "" {
			if field.Type.Kind() != reflect.Struct {
				panic(fmt.Sprintf("%s: embedded %s is not a plain struct", owner, field.Name))
			}
			within := embedded
			if field.Name != "TypeMeta" {
				within = append(append([]string{}, embedded...), field.Name)
			}
			facts = append(facts, w.fields(field.Type, within, path, hasProto, owner)...)
			continue
		}
		if name == "" {
			name = field.Name
		}
		fact := fieldFact{
			Name:          name,
			Embedded:      embedded,
			PatchStrategy: field.Tag.Get("patchStrategy"),
			PatchMergeKey: field.Tag.Get("patchMergeKey"),
		}
		if hasProto {
			fact.Proto = path
		}
		for _, option := range options {
			switch option {
			case "omitempty":
				fact.OmitEmpty = true
			case "omitzero":
				fact.OmitZero = true
			case "inline", "":
			default:
				panic(fmt.Sprintf("%s.%s: json option %s", owner, name, option))
			}
		}
		fieldType := field.Type
		if fieldType.Kind() == reflect.Pointer {
			fact.Pointer = true
			fieldType = fieldType.Elem()
		}
		fact.Type = w.typeOf(fieldType, owner+"."+name)
		facts = append(facts, fact)
	}
	return facts
}

func protoPath(field reflect.StructField, prefix []int, inProto bool, owner string) ([]int, bool) {
	tag, ok := field.Tag.Lookup("protobuf")
	if !ok || tag == "-" || !inProto {
		return nil, false
	}
	parts := strings.Split(tag, ",")
	for _, part := range parts[2:] {
		if part == "packed" {
			panic(fmt.Sprintf("%s.%s: packed field", owner, field.Name))
		}
	}
	number, err := strconv.Atoi(parts[1])
	must(err)
	return append(append([]int{}, prefix...), number), true
}

func (w *walker) typeOf(t reflect.Type, owner string) typeFact {
	if leaf, ok := leaves[t]; ok {
		fact := typeFact{Scalar: leaf}
		if strings.HasPrefix(leaf, "jsonSchemaProps") {
			fact.Ref = modelName(t)[:strings.LastIndex(modelName(t), ".")] + ".JSONSchemaProps"
		}
		return fact
	}
	switch t.Kind() {
	case reflect.String:
		if t.PkgPath() == "" {
			return typeFact{Scalar: "string"}
		}
		return typeFact{Scalar: "string", GoType: modelName(t)}
	case reflect.Bool:
		return typeFact{Scalar: "bool"}
	case reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64, reflect.Float64:
		return typeFact{Scalar: t.Kind().String()}
	case reflect.Interface:
		return typeFact{Scalar: "json"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return typeFact{Scalar: "bytes"}
		}
		items := w.element(t.Elem(), owner)
		return typeFact{List: &items, Message: marshalsItself(t), GoType: namedType(t)}
	case reflect.Map:
		if t.Key().Kind() != reflect.String || marshalsItself(t) {
			panic(owner + ": unusual map")
		}
		values := w.element(t.Elem(), owner)
		return typeFact{Map: &values, GoType: namedType(t)}
	case reflect.Struct:
		return typeFact{Ref: w.visit(t)}
	default:
		panic(fmt.Sprintf("%s: unsupported type %s", owner, t))
	}
}

func (w *walker) element(t reflect.Type, owner string) typeFact {
	if t.Kind() == reflect.Pointer {
		panic(owner + ": pointer element")
	}
	return w.typeOf(t, owner)
}

// namedType is the model name of a named slice or map type, empty for plain ones.
func namedType(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return modelName(t)
}

// marshalsItself says whether protobuf code was generated for a named slice or map type.
func marshalsItself(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("MarshalToSizedBuffer")
	return ok && t.Name() != ""
}
