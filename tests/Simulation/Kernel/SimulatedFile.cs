namespace Ioxide.Simulation;

/// <summary>What a descriptor stands for. It lives until no descriptor and no operation uses it any more.</summary>
/// <remarks>So closing a descriptor over an armed receive sends no FIN, and the operation goes on. Facts: kernel.md, c.</remarks>
internal abstract class SimulatedFile
{
    internal int Descriptors { get; set; }

    /// <summary>Operations in flight that hold the file.</summary>
    internal int Operations { get; private set; }

    /// <summary>Operations that wait for something to happen to the file, in the order in which they came.</summary>
    internal List<Operation> Waiting { get; } = [];

    private bool IsReleased { get; set; }

    internal void Hold() => Operations++;

    internal void LetGo()
    {
        Operations--;
        ReleaseIfUnused();
    }

    internal void ReleaseIfUnused()
    {
        if (Descriptors == 0 && Operations == 0 && !IsReleased)
        {
            IsReleased = true;
            Release();
        }
    }

    protected abstract void Release();
}
