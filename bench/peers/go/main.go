// The client-go peer of the benchmarks: what bench/peers/ours.ts measures of our runtime, this measures of client-go, over
// JSON as well. Usage: peer KUBECONFIG sync|dispatch HANDLERS|latency COUNT|queue; one JSON object a line on stdout.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, mode string, args []string) error {
	if mode == "queue" {
		return queue()
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = "application/json"
	config.AcceptContentTypes = "application/json"
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	switch mode {
	case "sync":
		return syncPods(client)
	case "dispatch":
		handlers, _ := strconv.Atoi(args[0])
		return dispatch(client, handlers)
	case "latency":
		count, _ := strconv.Atoi(args[0])
		return latency(client, count)
	}
	return fmt.Errorf("no mode %s", mode)
}

// syncPods prints how long an informer of all Pods took, and the memory before, at the peak and after.
func syncPods(client kubernetes.Interface) error {
	runtime.GC()
	debug.FreeOSMemory()
	before := memory("VmRSS")
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) {}}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	started := time.Now()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("no sync")
	}
	elapsed := time.Since(started)
	runtime.GC()
	debug.FreeOSMemory()
	count := len(informer.GetStore().ListKeys())
	print(map[string]any{"ms": millis(elapsed), "count": count, "before": before, "after": memory("VmRSS"), "peak": memory("VmHWM")})
	return nil
}

// dispatch prints `ready`, and how long the events took that come after it, as many as a line on stdin says.
func dispatch(client kubernetes.Interface, handlers int) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	var wanted, heard atomic.Int64
	var started atomic.Int64
	done := make(chan struct{})
	wanted.Store(1 << 60)
	update := func(any, any) {
		n := heard.Add(1)
		if n == 1 {
			started.Store(time.Now().UnixNano())
		}
		if n == wanted.Load() {
			close(done)
		}
	}
	for range handlers {
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: update}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	lines := bufio.NewReader(os.Stdin)
	print(map[string]any{"ready": true})
	line, err := lines.ReadString('\n')
	if err != nil {
		return err
	}
	events, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return err
	}
	wanted.Store(events * int64(handlers))
	print(map[string]any{"armed": true})
	<-done
	print(map[string]any{"ms": float64(time.Now().UnixNano()-started.Load()) / 1e6})
	return nil
}

// latency prints the times from before a write to the start of the work its event caused, through informer and queue.
func latency(client kubernetes.Interface, count int) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	informer := factory.Core().V1().ConfigMaps().Informer()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		key, _ := cache.MetaNamespaceKeyFunc(object)
		queue.Add(key)
	}}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	var mutex sync.Mutex
	waiting := map[string]chan time.Time{}
	go func() {
		for {
			key, ended := queue.Get()
			if ended {
				return
			}
			at := time.Now()
			mutex.Lock()
			if heard := waiting[key]; heard != nil {
				heard <- at
				delete(waiting, key)
			}
			mutex.Unlock()
			queue.Forget(key)
			queue.Done(key)
		}
	}()
	times := make([]float64, 0, count)
	for i := range count {
		name := fmt.Sprintf("go-%d", i)
		heard := make(chan time.Time, 1)
		mutex.Lock()
		waiting["default/"+name] = heard
		mutex.Unlock()
		started := time.Now()
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"n": strconv.Itoa(i)}}
		if _, err := client.CoreV1().ConfigMaps("default").Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
		times = append(times, millis((<-heard).Sub(started)))
	}
	queue.ShutDown()
	sort.Float64s(times)
	print(map[string]any{"p50": times[len(times)/2], "p99": times[len(times)*99/100]})
	return nil
}

// queue prints the microseconds of 1,000 × (add, get, done), the median of many rounds.
func queue() error {
	queue := workqueue.NewTyped[string]()
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprintf("key-%d", i)
	}
	round := func() float64 {
		started := time.Now()
		for _, key := range keys {
			queue.Add(key)
		}
		for range keys {
			key, _ := queue.Get()
			queue.Done(key)
		}
		return float64(time.Since(started).Nanoseconds()) / 1e3
	}
	for range 200 {
		round()
	}
	times := make([]float64, 200)
	for i := range times {
		times[i] = round()
	}
	sort.Float64s(times)
	print(map[string]any{"us": times[100]})
	return nil
}

func memory(field string) int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if rest, found := strings.CutPrefix(line, field+":"); found {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib * 1024
		}
	}
	return 0
}

func millis(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func print(value map[string]any) {
	line, _ := json.Marshal(value)
	fmt.Println(string(line))
}
