namespace Ioxide.Simulation;

/// <summary>What happens to operations from outside: a file changes, a connect is answered, a disk has read.</summary>
internal sealed partial class SimulatedKernel
{
    /// <summary>Something happened to the file: what waits for it becomes a work. Who came last is first.</summary>
    internal void WakeFile(SimulatedFile file, bool wakesReceives = true, bool wakesSends = true)
    {
        for (int index = file.Waiting.Count - 1; index >= 0; index--)
        {
            Operation operation = file.Waiting[index];
            bool isForRoom = operation.Opcode is Opcode.Send or Opcode.SendMessage
                || (operation.Opcode == Opcode.PollAdd && file is StreamSocket);
            if (isForRoom ? wakesSends : wakesReceives)
            {
                QueueWork(operation);
            }
        }
    }

    /// <summary>The answer to a connect has come.</summary>
    internal void FinishConnect(Operation operation, int result)
    {
        if (!operation.IsDone && !operation.IsCancelled)
        {
            operation.Answer = result;
            QueueWork(operation);
        }
    }

    /// <summary>A worker is through with the oldest read of a file, unless it was cancelled.</summary>
    internal void FinishRead()
    {
        if (_slowReads.TryDequeue(out Operation? operation) && !operation.IsDone && operation.Opcode == Opcode.Read)
        {
            QueueWork(operation);
        }
    }
}
