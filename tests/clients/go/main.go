// A program as people write them with client-go, run against a server named by KUBECONFIG. It speaks protobuf, as the typed
// clients of the built-in kinds do, and prints one line for each thing that worked.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

const namespace = "go-client"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = "application/vnd.kubernetes.protobuf"
	clients, err := kubernetes.NewForConfig(protobuf)
	if err != nil {
		return err
	}
	steps := []struct {
		name string
		do   func(context.Context, *kubernetes.Clientset, *rest.Config) error
	}{
		{"discovery", tryDiscovery},
		{"typed objects in protobuf", tryTyped},
		{"informer and Deployment", tryInformer},
		{"conflict and retry", tryConflict},
		{"server-side apply", tryApply},
		{"dynamic client and patch", tryDynamic},
		{"leader election", tryElection},
		{"delete", tryDelete},
	}
	for _, step := range steps {
		if err := step.do(ctx, clients, config); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Println("PASS", step.name)
	}
	return nil
}

func tryDiscovery(_ context.Context, clients *kubernetes.Clientset, _ *rest.Config) error {
	groups, resources, err := clients.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if len(groups) < 15 || len(resources) < 15 {
		return fmt.Errorf("%d groups, %d lists", len(groups), len(resources))
	}
	preferred, err := discovery.ServerPreferredResources(clients.Discovery())
	if err != nil {
		return err
	}
	if len(preferred) == 0 {
		return errors.New("no preferred resources")
	}
	return nil
}

func tryTyped(ctx context.Context, clients *kubernetes.Clientset, _ *rest.Config) error {
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := clients.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	data := map[string][]byte{"bytes": {0, 1, 2, 255}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "s-"}, Data: data}
	created, err := clients.CoreV1().Secrets(namespace).Create(ctx, secret, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	read, err := clients.CoreV1().Secrets(namespace).Get(ctx, created.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if string(read.Data["bytes"]) != string(data["bytes"]) || read.UID != created.UID {
		return fmt.Errorf("read back %v", read.Data)
	}
	_, err = clients.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: created.Name}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("expected AlreadyExists, got %v", err)
	}
	return nil
}

func tryInformer(ctx context.Context, clients *kubernetes.Clientset, _ *rest.Config) error {
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace(namespace))
	ready := make(chan string, 100)
	informer := factory.Core().V1().Pods().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, current any) {
		pod := current.(*corev1.Pod)
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
				ready <- pod.Name
			}
		}
	}}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the informer did not sync")
	}
	if _, err := clients.AppsV1().Deployments(namespace).Create(ctx, deployment(), metav1.CreateOptions{}); err != nil {
		return err
	}
	seen := map[string]bool{}
	for len(seen) < 3 {
		select {
		case name := <-ready:
			seen[name] = true
		case <-ctx.Done():
			return fmt.Errorf("only %d pods became ready", len(seen))
		}
	}
	return nil
}

func tryConflict(ctx context.Context, clients *kubernetes.Clientset, _ *rest.Config) error {
	deployments := clients.AppsV1().Deployments(namespace)
	stale, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	patch := []byte(`{"metadata":{"labels":{"touched":"yes"}}}`)
	if _, err := deployments.Patch(ctx, "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	stale.Spec.Replicas = ptr(int32(2))
	if _, err := deployments.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("expected a conflict, got %v", err)
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		fresh.Spec.Replicas = ptr(int32(2))
		_, err = deployments.Update(ctx, fresh, metav1.UpdateOptions{})
		return err
	})
}

func tryApply(ctx context.Context, clients *kubernetes.Clientset, _ *rest.Config) error {
	labels := map[string]string{"app": "applied"}
	configuration := appsapply.Deployment("applied", namespace).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(1).
		WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).
			WithSpec(coreapply.PodSpec().WithContainers(coreapply.Container().WithName("c").WithImage("i:1")))))
	deployments := clients.AppsV1().Deployments(namespace)
	if _, err := deployments.Apply(ctx, configuration, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	other := appsapply.Deployment("applied", namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(5))
	if _, err := deployments.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two"}); !apierrors.IsConflict(err) {
		return fmt.Errorf("expected a conflict of managers, got %v", err)
	}
	applied, err := deployments.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	if *applied.Spec.Replicas != 5 {
		return fmt.Errorf("replicas are %d", *applied.Spec.Replicas)
	}
	return nil
}

func tryDynamic(ctx context.Context, _ *kubernetes.Clientset, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	resource := client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace(namespace)
	patched, err := resource.Patch(ctx, "web", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/replicas","value":1}]`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if patched.GetGeneration() < 2 {
		return fmt.Errorf("generation is %d", patched.GetGeneration())
	}
	list, err := resource.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	if list.GetContinue() == "" {
		return errors.New("two objects in pages of one have no continue token")
	}
	return nil
}

func tryElection(ctx context.Context, clients *kubernetes.Clientset, _ *rest.Config) error {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "lock", Namespace: namespace},
		Client:     clients.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	leading, stop := context.WithCancel(ctx)
	defer stop()
	led := false
	leaderelection.RunOrDie(leading, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true,
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; stop() },
			OnStoppedLeading: func() {},
		},
	})
	if !led {
		return errors.New("never led")
	}
	return nil
}

func tryDelete(ctx context.Context, clients *kubernetes.Clientset, _ *rest.Config) error {
	foreground := metav1.DeletePropagationForeground
	if err := clients.AppsV1().Deployments(namespace).Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		return err
	}
	if err := clients.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	watch, err := clients.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + namespace})
	if err != nil {
		return err
	}
	defer watch.Stop()
	for event := range watch.ResultChan() {
		if event.Type == "DELETED" {
			return nil
		}
	}
	return errors.New("the namespace stayed")
}

func deployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr(int32(3)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}, TerminationGracePeriodSeconds: ptr(int64(1))},
			},
		},
	}
}

func ptr[T any](value T) *T { return &value }
