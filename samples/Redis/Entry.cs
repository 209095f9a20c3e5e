/// <summary>A value. What has expired stays until it is next written.</summary>
internal sealed record Entry(string Value, long DueMs = long.MaxValue)
{
    internal bool IsAlive => DueMs > Environment.TickCount64;
}
