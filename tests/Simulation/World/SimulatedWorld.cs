using System.Collections.Concurrent;
using System.Text;

namespace Ioxide.Simulation;

/// <summary>What runs have in common: a reactor on a simulated kernel, things that happen at their time, and other threads.</summary>
/// <remarks>
/// The reactor runs on the calling thread. Whenever it enters the kernel or reads the clock, the world gets its turn: time
/// goes on, peers act, and "other threads" run, for which the calling thread counts as none of the reactor's.
/// </remarks>
/// <typeparam name="TEvent">What happens outside of the kernel.</typeparam>
internal abstract class SimulatedWorld<TEvent> : KernelHost, IDisposable
{
    private const long MostCompletions = 300_000;

    private protected readonly Dice _dice;
    private protected readonly SimulatedKernel _kernel;
    private protected readonly ReactorGroup _group;
    private protected readonly PriorityQueue<TEvent, (long Time, int Order)> _events = new();
    private protected readonly ConcurrentQueue<Action> _elsewhere = new();
    private protected bool _isElsewhere;
    private protected bool _isRunning;
    private protected bool _isStopping;
    private protected bool _isClosingRing;
    private readonly ElsewhereContext _elsewhereContext;
    private readonly long _longestNs;
    private int _order;

    /// <param name="dice">Already thrown for the plan.</param>
    /// <param name="plan">Of the kernel and the reactor.</param>
    /// <param name="marks">What runs must have reached.</param>
    /// <param name="longestNs">A run that takes longer, and is not about to stop, has no end.</param>
    private protected SimulatedWorld(Dice dice, Plan plan, Marks marks, long longestNs)
    {
        _dice = dice;
        Drawn = plan;
        _longestNs = longestNs;
        Marks = marks;
        _elsewhereContext = new ElsewhereContext(action => RunElsewhere(action));
        _kernel = new SimulatedKernel(this, dice, plan.Faults);
        plan.Reactor.PlayedKernel = _kernel;
        plan.Reactor.Events = NewEvents();
        _group = ReactorGroup.Create(plan.Reactor);
    }

    /// <summary>What the dice gave for the kernel and the reactor: the kernel asks while the reactor is made.</summary>
    internal Plan Drawn { get; }

    internal Reactor Reactor => _group.Reactors[0];

    internal Marks Marks { get; }

    /// <summary>The first rule that did not hold, or null.</summary>
    internal string? Violation { get; private set; }

    /// <summary>Completions, and what happened outside of the kernel.</summary>
    internal long EventCount => _kernel.Posted + _order;

    /// <summary>A hash over everything that happened.</summary>
    internal ulong Trace => _kernel.Trace ^ (ulong)_order;

    internal override SynchronizationContext? ThreadPoolContext => _elsewhereContext;

    internal override bool IsReactorOver => _isRunning && Reactor.Ended.IsCompleted && !_isClosingRing;

    internal override long? NextEventNs => _events.TryPeek(out _, out (long Time, int Order) at) ? at.Time : null;

    internal bool Chance(int perMille) => _dice.Chance(perMille);

    internal int Between(int least, int most) => _dice.Between(least, most);

    internal void Mark(string mark) => Marks.Hit(mark);

    internal override void Violated(string what) => Violation ??= $"{what}\n{State()}";

    /// <summary>Runs it to its end.</summary>
    internal void Run()
    {
        try
        {
            Prepare();
            _isRunning = true;
            RunReactors();
            _isRunning = false;
            if (Violation is null)
            {
                CheckRest();
            }
        }
        catch (ViolationException exception)
        {
            Violation ??= exception.Message;
        }
    }

    public virtual void Dispose() => _kernel.Dispose();

    /// <summary>Runs what reactors there are on the calling thread until they have ended.</summary>
    private protected virtual void RunReactors() => Reactor.Thread.RunHere();

    /// <summary>Goes on on another thread, some time from now.</summary>
    internal abstract void RunElsewhere(Action action, long delayNs = 0);

    internal override void RunDueEvents()
    {
        if (Violation is not null || _kernel.Posted > MostCompletions)
        {
            Violated($"after {_kernel.Posted} completions there is no end: {Describe()}");
            throw new ViolationException(Violation!);
        }

        // A reactor with a timer of its own never sleeps for ever, however stuck its connections are.
        if (_kernel.NowNs > _longestNs && !_isStopping)
        {
            NothingWillHappen();
        }

        while (_events.TryPeek(out _, out (long Time, int Order) at) && at.Time <= _kernel.NowNs)
        {
            Happen(_events.Dequeue());
        }

        StopWhereDone();
    }

    internal override void NothingWillHappen()
    {
        if (!_isStopping)
        {
            Violated($"there is no end: {Describe()}");
            throw new ViolationException(Violation!);
        }

        if (_events.Count == 0 && _kernel.Ready == 0)
        {
            Schedule(Nothing);
        }
    }

    private protected abstract TEvent Nothing { get; }

    private protected abstract ReactorEvents NewEvents();

    private protected abstract void Prepare();

    private protected abstract void Happen(TEvent happening);

    private protected abstract void StopWhereDone();

    private protected abstract void CheckRest();

    /// <summary>What holds slots of the reactor, a line each. Nothing that it reads is a call of the kernel, which would go on.</summary>
    private string State()
    {
        var text = new StringBuilder();
        _group?.Reactors[0].Operations.Describe(text, most: 32);
        return text.ToString();
    }

    private protected abstract string Describe();

    internal void Schedule(TEvent happening, long delayNs = 0)
    {
        long pace = Drawn.PaceUs == 0 ? 0 : _dice.Below(Drawn.PaceUs * 1000);
        _events.Enqueue(happening, (_kernel.NowNs + delayNs + pace, _order++));
    }

    private protected void RunOneElsewhere()
    {
        if (_elsewhere.TryDequeue(out Action? action))
        {
            action();
        }
    }

    private protected void ActElsewhere(Action action)
    {
        SynchronizationContext? context = SynchronizationContext.Current;
        Reactor? before = Reactor.ExchangeCurrent(null);
        bool wasElsewhere = _isElsewhere;
        SynchronizationContext.SetSynchronizationContext(_elsewhereContext);
        _isElsewhere = true;
        try
        {
            action();
        }
        finally
        {
            _isElsewhere = wasElsewhere;
            Reactor.ExchangeCurrent(before);
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private protected void Expect(int count, string what)
    {
        if (count != 0)
        {
            Violated($"at rest there are {count} {what}");
        }
    }
}
