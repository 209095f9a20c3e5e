[assembly: DisableRuntimeMarshalling]
