// Command schema-generator prints, as JSON, what the Go types of the Kubernetes API say about the wire and OpenAPI does
// not: the order of fields, which of them are pointers, when they are left out, and their protobuf numbers.
//
// It only reads types by reflection. tools/generate.mjs runs it, merges the OpenAPI facts and writes the result into
// packages/api/src/generated.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"runtime/debug"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// groups are the versions a default 1.36 API server serves, and those that only travel (admission, discovery) or rest
// in storage (apiextensions v1beta1).
var groups = []struct {
	version schema.GroupVersion
	add     func(*runtime.Scheme) error
}{
	{admissionv1.SchemeGroupVersion, admissionv1.AddToScheme},
	{admissionregistrationv1.SchemeGroupVersion, admissionregistrationv1.AddToScheme},
	{apidiscoveryv2.SchemeGroupVersion, apidiscoveryv2.AddToScheme},
	{apiextensionsv1.SchemeGroupVersion, apiextensionsv1.AddToScheme},
	{apiextensionsv1beta1.SchemeGroupVersion, apiextensionsv1beta1.AddToScheme},
	{apiregistrationv1.SchemeGroupVersion, apiregistrationv1.AddToScheme},
	{appsv1.SchemeGroupVersion, appsv1.AddToScheme},
	{authenticationv1.SchemeGroupVersion, authenticationv1.AddToScheme},
	{authorizationv1.SchemeGroupVersion, authorizationv1.AddToScheme},
	{autoscalingv1.SchemeGroupVersion, autoscalingv1.AddToScheme},
	{autoscalingv2.SchemeGroupVersion, autoscalingv2.AddToScheme},
	{batchv1.SchemeGroupVersion, batchv1.AddToScheme},
	{certificatesv1.SchemeGroupVersion, certificatesv1.AddToScheme},
	{coordinationv1.SchemeGroupVersion, coordinationv1.AddToScheme},
	{corev1.SchemeGroupVersion, corev1.AddToScheme},
	{discoveryv1.SchemeGroupVersion, discoveryv1.AddToScheme},
	{eventsv1.SchemeGroupVersion, eventsv1.AddToScheme},
	{flowcontrolv1.SchemeGroupVersion, flowcontrolv1.AddToScheme},
	{networkingv1.SchemeGroupVersion, networkingv1.AddToScheme},
	{nodev1.SchemeGroupVersion, nodev1.AddToScheme},
	{policyv1.SchemeGroupVersion, policyv1.AddToScheme},
	{rbacv1.SchemeGroupVersion, rbacv1.AddToScheme},
	{resourcev1.SchemeGroupVersion, resourcev1.AddToScheme},
	{schedulingv1.SchemeGroupVersion, schedulingv1.AddToScheme},
	{storagev1.SchemeGroupVersion, storagev1.AddToScheme},
	{schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"}, metav1.AddMetaToScheme},
}

func main() {
	scheme := runtime.NewScheme()
	kinds := map[string]map[string]string{}
	walk := newWalker()
	for _, group := range groups {
		must(group.add(scheme))
	}
	for _, group := range groups {
		named := map[string]string{}
		for kind, t := range scheme.KnownTypes(group.version) {
			if strings.HasSuffix(t.PkgPath(), "/internalversion") || t == reflect.TypeOf(metav1.InternalEvent{}) {
				continue
			}
			named[kind] = walk.visit(t)
		}
		kinds[group.version.String()] = named
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(map[string]any{"modules": modules(), "kinds": kinds, "types": walk.types}))
}

// modules lists the versions of the modules whose types were read.
func modules() map[string]string {
	versions := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		panic("no build information: modules cannot be named")
	}
	for _, module := range info.Deps {
		switch module.Path {
		case "k8s.io/api", "k8s.io/apimachinery", "k8s.io/kube-aggregator", "k8s.io/apiextensions-apiserver":
			versions[module.Path] = module.Version
		}
	}
	return versions
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
