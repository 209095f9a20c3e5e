using System.Reflection;
using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>A reactor's counter is closed while other threads wake it.</summary>
public sealed unsafe class WakeTargetTests
{
    private const int Races = 20;
    private const int Targets = 500;

    [Fact]
    public void NoWakeUpReachesAClosedDescriptor()
    {
        bool isOneWritten = false;
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            Counter[] counters = [.. Enumerable.Range(0, Targets).Select(static _ => new Counter())];
            WakeTarget[] targets = [.. counters.Select(static counter => new WakeTarget(ReactorOn(counter)))];
            var meeting = new Meeting(threads: 3);
            Race.Run(race, Do(static target => target.Wake()), Do(static target => target.Wake()), Do(static target => target.Close()));
            Assert.All(counters, static counter => Assert.True(counter.IsClosed));
            Assert.DoesNotContain(counters, static counter => counter.WasWrittenLate);
            isOneWritten |= Array.Exists(counters, static counter => counter.WasWritten);

            Action<Random> Do(Action<WakeTarget> action) => _ =>
            {
                foreach (WakeTarget target in targets)
                {
                    meeting.Wait();
                    action(target);
                }
            };
        }

        Assert.True(isOneWritten, "No wake-up came before its counter was closed.");
    }

    /// <summary>A reactor that has nothing but a kernel.</summary>
    private static Reactor ReactorOn(Kernel kernel)
    {
        var reactor = (Reactor)RuntimeHelpers.GetUninitializedObject(typeof(Reactor));
        typeof(Reactor).GetField("<Kernel>k__BackingField", BindingFlags.Instance | BindingFlags.NonPublic)!.SetValue(reactor, kernel);
        return reactor;
    }

    private sealed class Counter : Kernel
    {
        private int _isClosed;
        private int _wasWritten;
        private int _wasWrittenLate;

        internal bool IsClosed => System.Threading.Volatile.Read(ref _isClosed) != 0;

        internal bool WasWritten => System.Threading.Volatile.Read(ref _wasWritten) != 0;

        internal bool WasWrittenLate => System.Threading.Volatile.Read(ref _wasWrittenLate) != 0;

        internal override int EventDescriptor() => 1;

        internal override int Write(int fd, void* buffer, nuint length)
        {
            StoreBuffer.Here!.Drain();
            Thread.Yield();
            System.Threading.Volatile.Write(ref _wasWritten, 1);
            System.Threading.Interlocked.Or(ref _wasWrittenLate, _isClosed);
            return (int)length;
        }

        internal override int Close(int fd)
        {
            StoreBuffer.Here!.Drain();
            System.Threading.Volatile.Write(ref _isClosed, 1);
            return 0;
        }
    }
}
